public import AppKernel
public import Services

/// Gives the app one camera at a time, whichever kind is chosen.
///
/// Changes are made one after the other: of several switches asked for at once the last wins, and never are two
/// cameras connected.
public actor CameraRouter {
    /// Makes the camera of a kind, when it is first needed.
    public typealias Factory = @Sendable () async throws(CameraError) -> any CameraSource

    /// Which camera is chosen and whether it is connected.
    public struct Status: Sendable, Hashable {
        /// The chosen kind.
        public internal(set) var source: CameraSourceType = .local
        /// Its connection.
        public internal(set) var state: CameraSourceState = .disconnected
        /// Why the last connecting failed; `nil` after one that did not.
        public internal(set) var error: CameraError?

        /// Compares by value; errors by what they say.
        public static func == (left: Status, right: Status) -> Bool {
            left.source == right.source && left.state == right.state && left.error == right.error
        }

        /// Hashes what `==` compares.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(source)
            hasher.combine(state)
            hasher.combine(error?.description)
        }
    }

    /// The present choice and connection.
    public nonisolated var status: Published<Status> { currentStatus.published }

    private let currentStatus = CurrentValue(Status())
    private let factories: [CameraSourceType: Factory]
    private let sourceConnected: @Sendable (CameraSourceType) -> Void
    private var sources: [CameraSourceType: any CameraSource] = [:]
    private var lastRequest = 0
    private var lastChange: Task<Result<Void, CameraError>, Never>?

    /// Creates a router with the local camera chosen and nothing connected.
    ///
    /// - Parameters:
    ///   - factories: One for each kind of camera there is; a kind without one is reported as not found.
    ///   - sourceConnected: Called after every successful switch, to remember the choice.
    public init(
        factories: [CameraSourceType: Factory],
        sourceConnected: @escaping @Sendable (CameraSourceType) -> Void = { _ in }
    ) {
        self.factories = factories
        self.sourceConnected = sourceConnected
    }

    /// The chosen camera, or `nil` while it has never been needed.
    public var currentSource: (any CameraSource)? { sources[status.value.source] }

    /// Chooses a kind without connecting, as at launch.
    ///
    /// Only while nothing is connected.
    public func choose(_ type: CameraSourceType) {
        guard status.value.state != .connected, status.value.state != .connecting else { return }
        currentStatus.update { $0.source = type }
    }

    /// Connects the chosen camera; does nothing when it is connected.
    public func connect() async throws(CameraError) { try await switchTo(status.value.source) }

    /// Disconnects the present camera, then connects one of another kind.
    ///
    /// Does nothing when that kind is connected, or when a later call has asked for something else meanwhile.
    ///
    /// - Throws: What making or connecting the camera has thrown; the kind stays chosen, in state `failed`.
    public func switchTo(_ type: CameraSourceType) async throws(CameraError) {
        try await change { () async throws(CameraError) in try await self.perform(type) }.get()
    }

    /// Disconnects the camera.
    ///
    /// Harmless when repeated.
    public func disconnect() async {
        _ = await change { () async throws(CameraError) in await self.performDisconnect() }
    }

    /// The newest picture of the chosen camera, or `nil` when there is none or it is not connected.
    public func latestFrame() async -> VideoFrame? {
        guard status.value.state == .connected else { return nil }
        return await currentSource?.latestFrame()
    }

    // MARK: One after the other

    private func change(
        _ work: @escaping @Sendable () async throws(CameraError) -> Void
    ) async -> Result<Void, CameraError> {
        lastRequest += 1
        let (request, before) = (lastRequest, lastChange)
        let change = Task { () -> Result<Void, CameraError> in
            _ = await before?.value
            guard self.isLast(request) else { return .success(()) }
            do throws(CameraError) {
                try await work()
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        lastChange = change
        return await change.value
    }

    private func isLast(_ request: Int) -> Bool { request == lastRequest }

    private func perform(_ type: CameraSourceType) async throws(CameraError) {
        if status.value.source == type, status.value.state == .connected { return }
        await performDisconnect()
        currentStatus.update {
            $0.source = type
            $0.state = .connecting
            $0.error = nil
        }
        do throws(CameraError) {
            try await source(of: type).connect()
        } catch {
            currentStatus.update {
                $0.state = .failed
                $0.error = error
            }
            throw error
        }
        currentStatus.update { $0.state = .connected }
        sourceConnected(type)
    }

    private func performDisconnect() async {
        guard status.value.state != .disconnected else { return }
        await currentSource?.disconnect()
        currentStatus.update { $0.state = .disconnected }
    }

    private func source(of type: CameraSourceType) async throws(CameraError) -> any CameraSource {
        if let source = sources[type] { return source }
        guard let factory = factories[type] else { throw .deviceNotFound }
        let source = try await factory()
        sources[type] = source
        return source
    }
}
