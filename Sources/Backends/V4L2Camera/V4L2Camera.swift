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
    }

    private enum Phase {
        case idle
        /// The task opens the device, and closes it again when it is cancelled.
        case connecting(Task<VideoStream?, Never>)
        case connected(Connection)
    }

    private struct State {
        var phase = Phase.idle
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
            case .connecting(let attempt): attempt.cancel()
            case .connected(let connection): connection.task.cancel()
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
        let attempt = state.withLock { state -> Task<VideoStream?, Never>? in
            switch state.phase {
            case .connecting: return nil
            case .connected(let connection) where !connection.capture.isOver: return nil
            case .idle, .connected: break
            }
            let attempt = Task { [path, system, options, self] () -> VideoStream? in
                do throws(V4L2Failure) {
                    let stream = try await VideoStream.open(path, of: system, options)
                    if !Task.isCancelled { return stream }
                    await stream.close()
                } catch {
                    self.state.withLock { $0.failure = error }
                }
                return nil
            }
            state.phase = .connecting(attempt)
            state.failure = nil
            return attempt
        }
        guard let attempt else { throw .sessionAlreadyRunning }
        let stream = await withTaskCancellationHandler {
            await attempt.value
        } onCancel: {
            attempt.cancel()
        }
        guard let stream else {
            let failure = state.withLock { state in
                if case .connecting(attempt) = state.phase { state.phase = .idle }
                return attempt.isCancelled ? nil : state.failure
            }
            throw failure?.cameraError ?? .unknown(CancellationError())
        }
        guard begin(stream, of: attempt) else {
            await stream.close()
            // Cancelled in the moment in which it succeeded: nobody else ends the attempt.
            state.withLock { if case .connecting(attempt) = $0.phase { $0.phase = .idle } }
            throw .unknown(CancellationError())
        }
        if let zoom = zoom(in: stream.description), zoom.value != zoom.range.lowerBound {
            try? await stream.set(zoom, to: zoom.range.lowerBound)
        }
    }

    /// Takes over an opened stream, unless its attempt was overtaken.
    private func begin(_ stream: VideoStream, of attempt: Task<VideoStream?, Never>) -> Bool {
        state.withLock { state in
            guard case .connecting(attempt) = state.phase, !attempt.isCancelled else { return false }
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
            return true
        }
    }

    /// Stops the stream and closes the device, which both have happened when it returns.
    public func disconnect() async {
        let phase = state.withLock { state in
            defer { state.phase = .idle }
            return state.phase
        }
        switch phase {
        case .idle: break
        case .connecting(let attempt):
            attempt.cancel()
            // What it has opened in spite of that is closed by its caller, who sees that it was overtaken.
            _ = await attempt.value
        case .connected(let connection):
            connection.task.cancel()
            await connection.task.value
        }
        currentState.set(.disconnected)
    }

    // MARK: State

    /// The sizes of the device and how much it enlarges, once it was connected.
    public var capabilities: CameraCapabilities {
        guard let description = state.withLock(\.description) else { return CameraCapabilities() }
        return CameraCapabilities(sizes: description.sizes, zoom: zoomRange(in: description))
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
        guard capabilities.allows(control), case .zoom(let level) = control,
            let zoom = zoom(in: stream.description)
        else { throw .configurationFailed }
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

    /// `zoom_absolute`, whose smallest value is a zoom of 1; of one that begins at 0 nobody knows how much it enlarges.
    private func zoom(in description: VideoDeviceDescription) -> VideoControl? {
        description.controls.first { $0.id == V4L2ControlID.zoom && $0.range.lowerBound > 0 }
    }

    private func zoomRange(in description: VideoDeviceDescription) -> ClosedRange<Double> {
        guard let zoom = zoom(in: description) else { return 1...1 }
        return 1...Double(zoom.range.upperBound) / Double(zoom.range.lowerBound)
    }
}
