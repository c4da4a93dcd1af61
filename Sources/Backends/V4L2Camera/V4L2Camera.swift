public import Services
import Synchronization
public import VideoSystem

/// A camera of Linux: a video device, such as that of a USB camera, that Video4Linux drives.
///
/// Pictures are captured in the device's own format: Motion-JPEG is passed on as whole JPEG files, YUYV and NV12 as I420. Each one is
/// copied out of the driver's buffer, which the driver gets back at once; readers that are late miss pictures.
///
/// A device that is unplugged is `CameraState.lost` at once, and connects again when it is back. A stream that fails, or stands
/// still, is started again before the camera counts as lost.
///
/// Every call of a driver that may block is made on a thread of the device's own.
public final class V4L2Camera: CameraSource {
    /// What is asked of the device.
    public struct Options: Sendable, Hashable {
        /// The picture size; the device's nearest one is taken.
        public var size: PixelSize
        /// Pictures each second, above 0; the device's nearest rate is taken.
        public var framesPerSecond: Double
        /// The only format that is allowed; `nil` for each that can be captured.
        public var format: VideoFormat?
        /// How long a stream may stand still, at least five of its periods, before it is started again.
        public var patience: Duration

        /// Makes options.
        public init(
            size: PixelSize = PixelSize(width: 1280, height: 720),
            framesPerSecond: Double = 30,
            format: VideoFormat? = nil,
            patience: Duration = .seconds(3)
        ) {
            precondition(framesPerSecond > 0, "a camera has a rate above zero")
            self.size = size
            self.framesPerSecond = framesPerSecond
            self.format = format
            self.patience = patience
        }
    }

    private struct Connection {
        var capture: Capture
        var task: Task<Void, Never>

        /// Stops the task, and gives up what waits for readers.
        func end() {
            task.cancel()
            capture.close()
        }
    }

    private enum Phase {
        case idle
        /// The task opens the device. It ends when that is connected, or closed again.
        case connecting(number: Int, Task<CameraError?, Never>)
        case connected(Connection)
    }

    private struct State {
        var phase = Phase.idle
        var attempts = 0
        /// Waits for the newest attempt, or for the connection that it has become: then its device is closed.
        var newestEnd: (@Sendable () async -> Void)?
        var description: VideoDeviceDescription?
        var failure: V4L2Failure?
    }

    /// The node, such as `/dev/video0`.
    public let path: String
    /// What is asked of the device.
    public let options: Options
    private let system: any VideoSystem
    private let state = Mutex(State())
    private let currentState = CameraStates()

    /// Creates a disconnected camera.
    ///
    /// - Parameters:
    ///   - path: The node, or a link to it such as those in `/dev/v4l/by-id`, which stay the same when cameras are plugged in
    ///     in another order.
    ///   - options: What is asked of the device.
    ///   - system: The system that has it.
    public init(
        path: String,
        options: Options = Options(),
        system: any VideoSystem = LinuxVideoSystem()
    ) {
        (self.path, self.options, self.system) = (path, options, system)
    }

    deinit {
        // The task gives everything back; it does not need the camera.
        state.withLock { state in
            switch state.phase {
            case .idle: break
            case .connecting(_, let attempt): attempt.cancel()
            case .connected(let connection): connection.end()
            }
        }
    }

    // MARK: Connection

    /// Opens the device, and starts its stream with a zoom of 1.
    ///
    /// - Throws: As ``V4L2Failure/cameraError`` has it, with the whole story in ``lastFailure``: `permissionDenied` for a node that
    ///   may not be opened, `deviceNotFound` where there is none, `sessionAlreadyRunning` when another program has the camera or
    ///   this one is connected, `inputConfigurationFailed` for one without a format that can be captured,
    ///   `configurationFailed`, `sessionStartFailed`, `unknown`; also for a call that is cancelled, or overtaken by
    ///   ``disconnect()``.
    public func connect() async throws(CameraError) {
        let attempt = state.withLock { state -> Task<CameraError?, Never>? in
            switch state.phase {
            case .connecting: return nil
            case .connected(let connection) where !connection.capture.isOver: return nil
            // Lost, and not disconnected since: frames of then do not wait beside those of now.
            case .connected(let connection): connection.end()
            case .idle: break
            }
            state.attempts += 1
            let (number, earlier) = (state.attempts, state.newestEnd)
            let attempt = Task { await self.open(number, after: earlier) }
            state.phase = .connecting(number: number, attempt)
            state.newestEnd = { _ = await attempt.value }
            state.failure = nil
            return attempt
        }
        guard let attempt else { throw .sessionAlreadyRunning }
        let error = await withTaskCancellationHandler {
            await attempt.value
        } onCancel: {
            attempt.cancel()
        }
        if let error { throw error }
    }

    /// Makes an attempt: it is connected, or its device is closed.
    ///
    /// - Parameter earlier: Waits for the one before: a device has one owner, and states come in their order.
    private func open(_ number: Int, after earlier: (@Sendable () async -> Void)?) async -> CameraError? {
        await earlier?()
        var failure: V4L2Failure?
        if !Task.isCancelled {
            do throws(V4L2Failure) {
                let stream = try await VideoStream.open(path, of: system, options)
                if begin(stream, number) { return nil }
                await stream.close()
            } catch {
                failure = error
            }
        }
        let isCancelled = Task.isCancelled
        state.withLock { state in
            // Else somebody has disconnected, and may be connecting again.
            guard case .connecting(number, _) = state.phase else { return }
            state.phase = .idle
            if !isCancelled { state.failure = failure }
        }
        guard !isCancelled, let failure else { return .unknown(CancellationError()) }
        return failure.cameraError
    }

    /// Takes over an opened stream, unless its attempt was overtaken or given up.
    private func begin(_ stream: VideoStream, _ number: Int) -> Bool {
        state.withLock { state in
            guard case .connecting(number, _) = state.phase, !Task.isCancelled else { return false }
            let capture = Capture(stream, patience: options.patience)
            state.description = stream.description
            currentState.set(.connected)
            let task = Task { [currentState, weak self] in
                let failure = await capture.run()
                guard let failure else { return }
                self?.state.withLock { $0.failure = failure }
                currentState.set(.lost(failure.cameraError))
            }
            state.phase = .connected(Connection(capture: capture, task: task))
            state.newestEnd = { await task.value }
            return true
        }
    }

    /// Stops the stream and closes the device, which both have happened when it returns.
    public func disconnect() async {
        let ended = state.withLock { state in
            switch state.phase {
            case .idle: break
            case .connecting(_, let attempt): attempt.cancel()
            case .connected(let connection): connection.end()
            }
            state.phase = .idle
            return state.newestEnd
        }
        await ended?()
        state.withLock { state in
            // Else somebody connects again, whose states are the newer ones.
            if case .idle = state.phase { currentState.set(.disconnected) }
        }
    }

    // MARK: State

    /// The sizes of the device and how much it enlarges, once it was connected.
    public var capabilities: CameraCapabilities {
        guard let description = state.withLock(\.description) else { return CameraCapabilities() }
        return CameraCapabilities(sizes: description.sizes, zoom: description.zoomRange)
    }

    /// What the device says of itself, from the last connection on.
    public var description: VideoDeviceDescription? { state.withLock(\.description) }

    /// The format, size and rate of the connection; `nil` when disconnected.
    public var mode: VideoMode? { capture?.stream.mode }

    /// What this connection has delivered; `nil` when disconnected.
    public var statistics: CaptureStatistics? { capture?.statistics }

    /// Why the last connecting failed, or the camera was lost, with all that is known.
    public var lastFailure: V4L2Failure? { state.withLock(\.failure) }

    /// Whether it works.
    public func states() -> AsyncStream<CameraState> { currentState.stream() }

    // MARK: Frames

    /// The newest frame; `nil` before the first.
    public func latestFrame() async -> VideoFrame? { capture?.newest }

    /// The frames of this connection.
    public func frames(limit: Int) -> any FrameStream {
        if let capture { return capture.frames(limit: limit) }
        let none = FrameQueue(limit: limit)
        none.end()
        return none
    }

    private var capture: Capture? {
        state.withLock { state in
            guard case .connected(let connection) = state.phase, !connection.capture.isOver else {
                return nil
            }
            return connection.capture
        }
    }

    // MARK: Controls

    /// Enlarges the picture, where the device has a lens or a driver that does.
    public func apply(_ control: CameraControl) async throws(CameraError) {
        guard let stream = capture?.stream else { throw .deviceNotFound }
        guard capabilities.allows(control), case .zoom(let level) = control else {
            throw .configurationFailed
        }
        // All of the picture is what a camera without a zoom shows.
        guard let zoom = stream.description.zoom else { return }
        let value = Int((level * Double(zoom.range.lowerBound)).rounded())
        let stepped = (value - zoom.range.lowerBound) / zoom.step * zoom.step + zoom.range.lowerBound
        try await change(zoom, to: stepped)
    }

    /// Changes a control of the device, such as its brightness.
    ///
    /// - Throws: `deviceNotFound` when disconnected, `configurationFailed` for a name or a value that the device does not have.
    public func set(_ key: String, to value: Int) async throws(CameraError) {
        guard let stream = capture?.stream else { throw .deviceNotFound }
        guard let control = stream.description.controls.first(where: { $0.key == key }),
            control.range.contains(value)
        else { throw .configurationFailed }
        try await change(control, to: value)
    }

    private func change(_ control: VideoControl, to value: Int) async throws(CameraError) {
        guard let stream = capture?.stream else { throw .deviceNotFound }
        do {
            try await stream.set(control, to: value)
        } catch {
            state.withLock { $0.failure = error }
            throw error.cameraError
        }
    }
}
