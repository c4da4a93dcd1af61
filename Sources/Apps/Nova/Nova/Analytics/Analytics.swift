internal import Concurrency
internal import Foundation
internal import ServiceClient
internal import Services

/// Counts what the person does, and sends it in batches: fifty events, or what there is after half a minute, the oldest first.
///
/// A batch is frozen when its sending begins: it has the same bytes and the same key at each try, and later events go into the next one. Events are in memory alone.
@MainActor
final class Analytics {
    /// How many events fill a batch.
    static let batchSize = 50
    /// How long an event waits at most for its batch to be sent.
    static let period: Duration = .seconds(30)
    /// How many events are kept at most while nothing can be sent; then the oldest of those that are in no batch go.
    static let most = 1_000
    /// How long the app waits for a batch when it goes to the background.
    static let backgroundPatience: Duration = .seconds(5)

    /// What each event says of its device.
    struct Device: Sendable {
        var id: String
        var platform: String
        var appVersion: String
    }

    private struct Tracked: Encodable {
        let event_id: String
        let name: String
        let category: String
        let parameters: [String: AnalyticsEvent.Value]
        @NovaTime var timestamp: Date
        let device_id: String
        let user_id: String?
        let platform: String
        let app_version: String
    }

    private struct Batch {
        let bytes: [UInt8]
        let count: Int
        let key = UUID().uuidString.lowercased()
    }

    /// The signed-in person.
    var userID: String?

    private let api: APIClient
    private let device: Device
    private let network: any NetworkMonitor
    private var events: [Tracked] = []
    private var batch: Batch?
    private var flushing: Task<Void, Never>?
    private var running: Task<Void, Never>?

    init(_ api: APIClient, device: Device, network: any NetworkMonitor) {
        (self.api, self.device, self.network) = (api, device, network)
    }

    /// Notes an event, with the signed-in person and the time.
    func track(_ event: AnalyticsEvent) {
        events.append(
            Tracked(
                event_id: UUID().uuidString.lowercased(),
                name: event.name,
                category: event.category,
                parameters: event.parameters,
                timestamp: Date(),
                device_id: device.id,
                user_id: userID,
                platform: device.platform,
                app_version: device.appVersion
            )
        )
        events.removeFirst(max(0, events.count - Self.most))
        guard events.count >= Self.batchSize, batch == nil, flushing == nil, network.isConnected else {
            return
        }
        begin(isFull: true)
    }

    /// Sends what there is each half minute in which the device has a network.
    func start() {
        guard running == nil else { return }
        running = Task { [weak self, network] in
            while (try? await Task.sleep(for: Self.period)) != nil {
                if network.isConnected { await self?.flush() }
            }
        }
    }

    /// Sends what there is, one batch after the other, until one cannot be sent.
    func flush() async {
        while let flushing { await flushing.value }
        await begin(isFull: false).value
    }

    /// - Parameter isFull: Whether only batches go that are full.
    @discardableResult
    private func begin(isFull: Bool) -> Task<Void, Never> {
        let task = Task { [weak self] in
            while await self?.sendBatch(isFull: isFull) == true {}
            self?.flushing = nil
        }
        flushing = task
        return task
    }

    /// Sends what there is, and leaves what takes longer than the system lets an app go on in the background: it is kept.
    func flushForBackground() async { _ = await withDeadline(Self.backgroundPatience) { await self.flush() } }

    /// Ends what is under way; what was not sent is lost.
    func stop() async {
        running?.cancel()
        flushing?.cancel()
        await running?.value
        await flushing?.value
    }

    /// Sends one batch.
    ///
    /// - Returns: Whether another one may follow.
    private func sendBatch(isFull: Bool) async -> Bool {
        guard let next = batch ?? (isFull && events.count < Self.batchSize ? nil : freeze()) else {
            return false
        }
        batch = next
        do throws(ServiceFailure) { try await api.send(events: next.bytes, key: next.key) } catch {
            let status = error.status ?? 0
            // What Nova will never take must not stop what comes after it.
            guard error.code == .refused, (400..<500).contains(status), !error.isTransient else {
                return false
            }
            // An earlier try of it is being done just now, and may fail; what says so may be cut.
            guard status != 409 else { return false }
        }
        batch = nil
        return !Task.isCancelled
    }

    private func freeze() -> Batch? {
        let next = Array(events.prefix(Self.batchSize))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard !next.isEmpty, let bytes = try? encoder.encode(next) else { return nil }
        events.removeFirst(next.count)
        return Batch(bytes: Array(bytes), count: next.count)
    }
}
