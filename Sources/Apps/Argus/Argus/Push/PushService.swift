public import Concurrency
internal import Foundation
public import Services

/// Registers this device for notifications, and says which event a tapped one is about.
@MainActor
public final class PushService {
    /// What has become of the registration.
    public enum Registration: String, Codable, Sendable, Hashable {
        /// The person was not asked yet, or has not answered.
        case unknown
        /// The person does not want notifications: nothing is registered.
        case denied
        /// The permission is there, and the device token or the pairing is not.
        case waiting
        /// The hub has the token.
        case registered
        /// The hub did not take it: it is tried again at the next launch, or with the next token or pairing.
        case failed
    }

    /// The registration, and each change.
    public nonisolated let registration: Published<Registration>
    /// The notifications that have arrived, with their sessions.
    nonisolated let shown: Published<[Shown]>
    /// How many notifications are kept.
    public static let shownLimit: Int = 20

    private let receiver: any PushReceiver
    private let api: any HubAPI
    private let auth: AuthService
    private let log: ArgusLog
    private let current = CurrentValue(Registration.unknown)
    private let all = CurrentValue<[Shown]>([])
    private let following = OwnedTasks()
    private var isAuthorized = false
    private var token: String?
    /// What was registered last, so that it is done once for each launch, token and session.
    private var last: Target?
    private var registering: Task<Void, Never>?

    /// A notification, and the session in which it has arrived.
    struct Shown: Sendable, Hashable {
        let notification: PushNotification
        let session: Int
    }

    /// The notifications that have arrived in this session, the newest last; at most ``shownLimit``.
    public var arrived: [PushNotification] {
        all.value.filter { $0.session == auth.session }.map(\.notification)
    }

    /// What a registration is for.
    private struct Target: Hashable {
        let token: String
        let session: Int
    }

    /// Called with the event of a notification that the person has tapped.
    public var open: @MainActor (_ eventID: String) -> Void = { _ in }

    /// Makes a service; nothing is asked or sent.
    ///
    /// - Parameters:
    ///   - receiver: Receives notifications.
    ///   - api: Registers at the hub.
    ///   - auth: Knows whether this device is paired.
    ///   - log: Takes registrations that have failed.
    public init(_ receiver: any PushReceiver, api: any HubAPI, auth: AuthService, log: @escaping ArgusLog) {
        (self.receiver, self.api, self.auth, self.log) = (receiver, api, auth, log)
        registration = current.published
        shown = all.published
    }

    /// Follows tokens, notifications, taps and the pairing; ends with ``stop()``.
    func start() {
        let (tokens, arrivals, taps) = (receiver.deviceTokens(), receiver.arrivals(), receiver.taps())
        let signedIn = auth.isAuthenticated.values()
        following.replace(with: [
            Task { [weak self] in for await bytes in tokens { self?.take(bytes) } },
            Task { [weak self] in for await arrival in arrivals { self?.show(arrival) } },
            Task { [weak self] in for await tap in taps { self?.handleNotification(tap) } },
            Task { [weak self] in for await _ in signedIn { self?.register() } },
        ])
    }

    /// Ends all of it, and returns when it has ended.
    func stop() async {
        registering?.cancel()
        await following.cancelAndWait()
        await registering?.value
    }

    /// Asks for permission; where it is given, this device is registered as soon as it has a token and is paired.
    public func requestAuthorization() async {
        let isGranted = await receiver.requestAuthorization()
        // A question that was taken away is not answered.
        guard !Task.isCancelled else { return }
        isAuthorized = isGranted
        if !isAuthorized { current.set(.denied) }
        register()
    }

    /// Opens the event of a notification that was tapped; one without an event opens nothing.
    public func handleNotification(_ notification: PushNotification) {
        if let id = Self.eventID(in: notification.payload) { open(id) }
    }

    /// The event that a payload is about: its top-level `event_id`, a text that is not empty.
    static func eventID(in payload: [UInt8]) -> String? {
        struct Payload: Decodable {
            let eventID: String
            private enum CodingKeys: String, CodingKey { case eventID = "event_id" }
        }
        guard let id = (try? JSONDecoder().decode(Payload.self, from: Data(payload)))?.eventID, !id.isEmpty
        else { return nil }
        return id
    }

    /// A device token as it is registered: two small hexadecimal digits for each byte.
    static func hex(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += byte < 16 ? "0" : ""
            text += String(byte, radix: 16)
        }
    }

    // MARK: Registration

    private func take(_ bytes: [UInt8]) {
        token = Self.hex(bytes)
        register()
    }

    private func show(_ notification: PushNotification) {
        let new = Shown(notification: notification, session: auth.session)
        all.update { $0 = $0.suffix(Self.shownLimit - 1) + [new] }
    }

    /// Registers what is there, once; several that come together are done one after the other.
    private func register() {
        guard isAuthorized else { return }
        guard auth.isAuthenticated.value, let token else { return current.set(.waiting) }
        let target = Target(token: token, session: auth.session)
        guard target != last else { return }
        last = target
        let before = registering
        registering = Task { [weak self, api, log] in
            await before?.value
            let outcome: Registration
            do {
                try await api.registerPushToken(token)
                outcome = .registered
            } catch {
                outcome = .failed
                if !(error is CancellationError) { log(.registrationFailed(error.localizedDescription)) }
            }
            guard let self, !Task.isCancelled, self.last == target else { return }
            self.current.set(outcome)
        }
    }
}
