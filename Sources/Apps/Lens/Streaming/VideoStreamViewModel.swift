internal import AppKernel
public import Observation
public import Services

/// The streaming overlay of the camera screen.
@MainActor
@Observable
public final class VideoStreamViewModel {
    /// Phase and last error of the stream.
    public private(set) var state: StreamingState = StreamingState()
    /// Pictures that the model's service has accepted.
    public private(set) var framesSent: Int = 0
    /// Text of the current turn; after its end, of the last one.
    public private(set) var latestResponse: String = ""

    /// Whether the stream is on, reconnecting included.
    public var isStreaming: Bool { state.isStreaming }
    /// Whether a session is open.
    public var isConnected: Bool { state.isConnected }
    /// Why the last session was lost or refused.
    public var error: LiveModelError? { state.error }

    private let stream: StreamingSession
    private let observation = OwnedTasks()

    /// Creates the view model of a stream.
    public init(_ stream: StreamingSession) {
        self.stream = stream
        state = stream.state.value
    }

    /// Starts to follow the stream.
    public func onAppear() {
        observation.replace(with: [
            follow(stream.state) { model, state in model.state = state },
            follow(stream.statistics) { model, statistics in model.framesSent = statistics.framesSent },
            follow(stream.latestResponse) { model, text in model.latestResponse = text },
        ])
    }

    /// Stops to follow the stream, which goes on.
    public func onDisappear() { observation.cancelAll() }

    /// Opens a session and starts to stream; a failure shows in ``error``.
    public func startStreaming() async {
        // The stream publishes what it throws.
        try? await stream.start()
        state = stream.state.value
    }

    /// Stops; no picture goes out after this returns.
    public func stopStreaming() async {
        await stream.stop()
        state = stream.state.value
    }
}

extension VideoStreamViewModel: Following {}
