public import Services
import Synchronization
public import Transport

/// A camera that answers a request over HTTP with pictures without end: JPEG files as `multipart/x-mixed-replace`.
///
/// So do mjpg-streamer, the example of the ESP32-CAM and many cameras of networks.
public final class StreamCamera: CameraSource {
    private enum Phase {
        case idle
        case connecting(number: Int, Task<CameraError?, Never>)
        case connected(number: Int, Task<Void, Never>)
    }

    private struct WeakQueue {
        weak let queue: FrameQueue?
    }

    private struct State {
        var phase = Phase.idle
        var attempts = 0
        var newest: VideoFrame?
        var readers: [WeakQueue] = []
    }

    private let client: any HTTPClient
    private let address: StreamAddress
    private let options: StreamOptions
    private let state = Mutex(State())
    private let currentState = CameraStates()

    /// Makes a camera that is not connected.
    ///
    /// - Parameters:
    ///   - client: Sends the request.
    ///   - address: Where the pictures are.
    ///   - options: Limits and patience.
    public init(client: any HTTPClient, address: StreamAddress, options: StreamOptions = StreamOptions()) {
        (self.client, self.address, self.options) = (client, address, options)
    }

    deinit {
        state.withLock { state in
            if case .connected(_, let reading) = state.phase { reading.cancel() }
        }
    }

    /// No controls; the sizes of pictures are known when they come.
    public var capabilities: CameraCapabilities { CameraCapabilities() }

    // MARK: Connecting

    /// Asks for the pictures; returns when the camera has begun to answer.
    public func connect() async throws(CameraError) {
        let attempt = state.withLock { state -> Task<CameraError?, Never>? in
            guard case .idle = state.phase else { return nil }
            state.attempts += 1
            let number = state.attempts
            let attempt = Task { await self.open(number) }
            state.phase = .connecting(number: number, attempt)
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

    /// Makes an attempt, whose answer counts only while it is the newest.
    private func open(_ number: Int) async -> CameraError? {
        var connection: StreamConnection?
        var failure = CameraError.unknown(CancellationError())
        do throws(CameraError) {
            connection = try await StreamConnection.open(address, client, options)
        } catch {
            failure = error
        }
        return state.withLock { state in
            // A disconnect came in between, and perhaps another attempt.
            guard case .connecting(number, _) = state.phase else { return .unknown(CancellationError()) }
            guard let connection, !Task.isCancelled else {
                state.phase = .idle
                return Task.isCancelled ? .unknown(CancellationError()) : failure
            }
            let reading = Task { [weak self] in
                await connection.read { frame in self?.publish(frame, of: number) ?? false }
                self?.lose(number)
            }
            state.phase = .connected(number: number, reading)
            currentState.set(.connected)
            return nil
        }
    }

    /// Ends the request, or the attempt.
    public func disconnect() async {
        let ended = state.withLock {
            state -> (attempt: Task<CameraError?, Never>?, reading: Task<Void, Never>?) in
            defer {
                state.phase = .idle
                forgetFrames(&state)
                currentState.set(.disconnected)
            }
            switch state.phase {
            case .idle: return (nil, nil)
            case .connecting(_, let attempt): return (attempt, nil)
            case .connected(_, let reading): return (nil, reading)
            }
        }
        ended.attempt?.cancel()
        ended.reading?.cancel()
        // The socket is released when these have ended.
        _ = await ended.attempt?.value
        await ended.reading?.value
    }

    /// The camera has stopped sending, without a call of ours.
    private func lose(_ number: Int) {
        state.withLock { state in
            guard case .connected(number, _) = state.phase else { return }
            state.phase = .idle
            forgetFrames(&state)
            currentState.set(.lost(.deviceNotFound))
        }
    }

    /// Whether it works.
    public func states() -> AsyncStream<CameraState> { currentState.stream() }

    // MARK: Frames

    /// The newest picture.
    public func latestFrame() async -> VideoFrame? { state.withLock(\.newest) }

    /// The pictures of this connection.
    public func frames(limit: Int) -> any FrameStream {
        let queue = FrameQueue(limit: limit)
        state.withLock { state in
            guard case .connected = state.phase else { return queue.end() }
            if let newest = state.newest { queue.add(newest) }
            state.readers.removeAll { $0.queue == nil }
            state.readers.append(WeakQueue(queue: queue))
        }
        return queue
    }

    /// Gives a picture to all readers; false when its connection is over.
    private func publish(_ frame: VideoFrame, of number: Int) -> Bool {
        state.withLock { state in
            guard case .connected(number, _) = state.phase else { return false }
            state.newest = frame
            for reader in state.readers { reader.queue?.add(frame) }
            return true
        }
    }

    private func forgetFrames(_ state: inout State) {
        state.newest = nil
        for reader in state.readers { reader.queue?.close() }
        state.readers = []
    }

    // MARK: Controls

    /// Refuses what would change something.
    public func apply(_ control: CameraControl) async throws(CameraError) {
        guard case .connected = state.withLock(\.phase) else { throw .deviceNotFound }
        guard capabilities.allows(control) else { throw .configurationFailed }
    }
}
