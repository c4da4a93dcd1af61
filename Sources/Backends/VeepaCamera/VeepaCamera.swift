import Concurrency
public import Services
import Synchronization
public import Transport

/// A Wi-Fi camera of the VStarcam family, such as those of Veepa, reached over PPPP.
///
/// Looks for the camera on the local network by its ID, logs in, and receives Motion-JPEG frames. A connection that is lost is
/// tried again, as ``VeepaOptions/reconnect`` says, with the same credentials; what cannot heal by itself, such as a wrong password, ends it.
/// Safe to use from any task.
///
/// **What it cannot do.** H.264 frames are counted and not decoded, sound is handed on as it comes. Talking to the camera, motors and
/// recordings on its card are not there. Nothing that such a camera sends is authenticated: anybody on the same network can
/// answer for it. The password travels in every request, obfuscated at best, so that it should be used for nothing else.
public final class VeepaCamera: CameraSource {
    /// What the camera's pictures are, as far as this client reads them.
    public struct Formats: Sendable, Hashable {
        /// Whether Motion-JPEG becomes frames.
        public var decodesMotionJPEG: Bool
        /// Whether H.264 becomes frames.
        public var decodesH264: Bool
    }

    /// Motion-JPEG alone.
    public static let formats: Formats = Formats(decodesMotionJPEG: true, decodesH264: false)

    /// No controls; the size of its pictures is known when they come.
    public var capabilities: CameraCapabilities { CameraCapabilities() }

    private let network: any DatagramNetwork
    private let options: VeepaOptions
    private let loadCredentials: @Sendable () async throws -> VeepaCredentials?
    private let present = Mutex(Present())

    private struct Present {
        var engine: VeepaEngine?
        var life: Life?
        /// The task of the newest life, which may be over.
        var latest: Task<Void, Never>?
    }

    /// From a call of `connect` to the end of what it began.
    private final class Life: Sendable {
        /// What became of the first attempt; `nil` while it goes on.
        let outcome = CurrentValue<Result<Void, CameraError>?>(nil)
        let task = Mutex<Task<Void, Never>?>(nil)
    }

    /// Makes a camera that is not connected.
    ///
    /// - Parameters:
    ///   - network: Where its socket is bound.
    ///   - options: How it is looked for, and how patient the client is.
    ///   - credentials: Returns which camera to use, or `nil` when none was set up; called once for each ``connect()``.
    public init(
        network: any DatagramNetwork,
        options: VeepaOptions = VeepaOptions(),
        credentials: @escaping @Sendable () async throws -> VeepaCredentials?
    ) {
        (self.network, self.options, loadCredentials) = (network, options, credentials)
    }

    deinit { present.withLock { $0.latest }?.cancel() }

    // MARK: Connecting

    /// Finds the camera, logs in and starts its video; returns once frames will follow.
    ///
    /// Cancelling the calling task, and ``disconnect()``, end the attempt. Calls while one goes on join it.
    ///
    /// - Throws: `sessionAlreadyRunning` when it is connected, or was lost and is tried again; what loading the credentials has thrown, as it
    ///   is or in `unknown`; `unknown` with a `CancellationError` for an attempt that was given up or overtaken; else `unknown` with a
    ///   ``VeepaConnectionError`` inside, which `CameraError.veepa` returns.
    public func connect() async throws(CameraError) {
        let (life, isNew) = try present.withLock { present throws(CameraError) -> (Life, Bool) in
            if let life = present.life {
                if case .success? = life.outcome.value { throw .sessionAlreadyRunning }
                return (life, false)
            }
            let life = Life()
            present.life = life
            return (life, true)
        }
        if isNew { start(life) }
        for await outcome in life.outcome.values() {
            guard let outcome else { continue }
            do throws(CameraError) { return try outcome.get() } catch {
                // The next call is a new attempt.
                forget(life)
                throw error
            }
        }
        // The caller was cancelled; only who began the attempt ends it.
        if isNew { await end(life) }
        throw .unknown(CancellationError())
    }

    /// Begins an attempt, unless it was given up before.
    ///
    /// What an earlier one has left to do is done first, so that it does not end what this one begins.
    private func start(_ life: Life) {
        let (loadCredentials, engine) = (loadCredentials, readyEngine())
        present.withLock { present in
            guard present.life === life else { return }
            let earlier = present.latest
            let task = Task { [weak self] in
                await earlier?.value
                await Self.run(life, engine, loadCredentials)
                self?.forget(life)
            }
            present.latest = task
            life.task.withLock { $0 = task }
        }
    }

    private static func run(
        _ life: Life,
        _ engine: VeepaEngine,
        _ load: @Sendable () async throws -> VeepaCredentials?
    ) async {
        func settle(_ outcome: Result<Void, CameraError>) {
            life.outcome.update { if $0 == nil { $0 = outcome } }
        }
        // Who has given up, or was overtaken, gets the error that any camera has for it.
        func cameraError(_ error: VeepaConnectionError) -> CameraError {
            error.code == .cancelled ? .unknown(CancellationError()) : .unknown(error)
        }
        let credentials: VeepaCredentials?
        do { credentials = try await load() } catch {
            return settle(.failure(error as? CameraError ?? .unknown(error)))
        }
        guard let credentials else {
            let error = VeepaConnectionError(.credentialsMissing, operation: "connect")
            return settle(.failure(.unknown(error)))
        }
        await engine.run(credentials) { settle($0.mapError(cameraError)) }
    }

    private func readyEngine() -> VeepaEngine {
        present.withLock { present in
            if let engine = present.engine { return engine }
            let engine = VeepaEngine(network, options)
            present.engine = engine
            return engine
        }
    }

    private func forget(_ life: Life) {
        present.withLock { if $0.life === life { $0.life = nil } }
    }

    /// Tells the camera that it is over, and releases the socket; never waits for the camera.
    public func disconnect() async {
        guard let life = present.withLock({ $0.life }) else { return }
        await end(life)
    }

    private func end(_ life: Life) async {
        // In this order: what has not begun by now never does, and what has begun has its task.
        forget(life)
        let task = life.task.withLock { $0 }
        life.outcome.update {
            if $0 == nil { $0 = .failure(.unknown(CancellationError())) }
        }
        task?.cancel()
        await task?.value
    }

    // MARK: Watching

    /// How far the camera is connected.
    public var connectionState: VeepaConnectionState { readyEngine().state.value }

    /// The present state of the connection, then each change in order.
    public func connectionStates() -> AsyncStream<VeepaConnectionState> { readyEngine().state.values() }

    /// Whether frames come: the present state, then each change.
    ///
    /// A camera that is lost is looked for again, as ``VeepaOptions/reconnect`` says, and is connected once more when it is found.
    public func states() -> AsyncStream<CameraState> { readyEngine().cameraStates.stream() }

    /// Returns the newest frame without waiting; `nil` before the first, when disconnected, and while the connection is lost.
    public func latestFrame() async -> VideoFrame? { readyEngine().frames.newest }

    /// The newest frame and all later ones, until the camera is disconnected; empty when it is not connected.
    ///
    /// - Parameter limit: How late a reader may be, up to ``VeepaOptions/framesKept``.
    public func frames(limit: Int) -> any FrameStream { readyEngine().frames.frames(limit: limit) }

    /// Changes nothing: there are no controls here.
    ///
    /// - Throws: `configurationFailed` for what would change something; `deviceNotFound` when disconnected.
    public func apply(_ control: CameraControl) async throws(CameraError) {
        guard case .connected = connectionState else { throw .deviceNotFound }
        if !capabilities.allows(control) { throw .configurationFailed }
    }

    /// Hands on the camera's sound as it comes; `nil` ends it.
    public func hear(_ hear: (@Sendable (VeepaSound) -> Void)?) { readyEngine().hear(hear) }

    /// What was dropped and counted since ``connect()``.
    public var statistics: VeepaStatistics { get async { await readyEngine().statistics } }

    // MARK: Asking

    /// Reads what the camera says of itself.
    public func readStatus() async throws(VeepaConnectionError) -> VeepaStatus {
        guard case .status(let status) = try await readyEngine().request(.readStatus) else {
            throw VeepaConnectionError(.refused, operation: CameraCommand.readStatus.operation)
        }
        return status
    }

    /// Has the camera take a picture, which may be larger than those of its video.
    ///
    /// - Returns: A JPEG file, not yet decoded.
    public func takeSnapshot() async throws(VeepaConnectionError) -> [UInt8] {
        guard case .picture(let picture) = try await readyEngine().request(.takeSnapshot) else {
            throw VeepaConnectionError(.refused, operation: CameraCommand.takeSnapshot.operation)
        }
        return picture
    }

    /// Lists the Wi-Fi networks that the camera sees.
    public func scanWiFi() async throws(VeepaConnectionError) -> [VeepaWiFi] {
        guard case .networks(let networks) = try await readyEngine().request(.scanWiFi) else {
            throw VeepaConnectionError(.refused, operation: CameraCommand.scanWiFi.operation)
        }
        return networks
    }

    /// Tells the camera to join a Wi-Fi network, which it does at once, so that the connection is lost.
    ///
    /// - Parameters:
    ///   - network: One that ``scanWiFi()`` has listed.
    ///   - password: The network's own.
    /// - Throws: `invalidValue` for names and passwords that cannot be sent.
    public func join(_ network: VeepaWiFi, password: Secret) async throws(VeepaConnectionError) {
        _ = try await readyEngine().request(.joinWiFi(network, password: password.reveal()))
    }
}
