public import Concurrency
internal import Foundation
public import Lens
public import ScreenKit
internal import Services

/// The stream to the assistant, shown over the camera.
@MainActor
public final class StreamScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// Where the stream stands.
        public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
            case idle, connecting, streaming, reconnecting, stopping
        }

        /// Where the stream stands.
        public var phase: Phase = .idle
        /// Which try to reconnect is made, from 1; 0 while it does not reconnect, and at a planned change of session.
        public var attempt: Int = 0
        /// Whether the stream is on, reconnecting included.
        public var isStreaming: Bool = false
        /// Whether a session with the assistant is open.
        public var isConnected: Bool = false
        /// Pictures that the assistant has accepted since the app's start.
        public var framesSent: Int = 0
        /// Pictures a second that are sent.
        public var framesPerSecond: Int = 0
        /// What the assistant says, or said last.
        public var latestResponse: String = ""
        /// Whether a reply is being spoken.
        public var isSpeaking: Bool = false
        /// Why the stream did not start, or has ended.
        public var alert: ScreenAlert?

        /// The state of a screen that has not been shown.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Connects the camera and starts to stream.
        case start
        /// Stops; no picture goes out after that.
        case stop
        /// Silences the reply that is being spoken.
        case stopSpeaking
        /// Repeats what the alert is about.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let app: LensApp
    private let model: ScreenModel<State>
    /// Why starting has failed, where the stream itself cannot say it.
    private var failure: ScreenAlert?
    private var dismissed: LiveModelError?

    /// Creates the screen of an app.
    public init(_ app: LensApp) {
        self.app = app
        model = ScreenModel(
            State(),
            sources: [
                app.stream.state, app.stream.statistics, app.stream.latestResponse, app.voice.isSpeaking,
                app.settings.current, app.isStartingStream,
            ]
        )
        states = model.states
        model.derive = { [weak self] in self?.makeState() }
    }

    private func makeState() -> State {
        let stream = app.stream.state.value
        var state = State()
        // The camera is being connected, and the stream knows nothing of it yet.
        let isStarting = stream.phase == .idle && app.isStartingStream.value
        state.phase = isStarting ? .connecting : State.Phase(stream.phase)
        if case .reconnecting(let attempt) = stream.phase { state.attempt = attempt }
        state.isStreaming = stream.isStreaming
        state.isConnected = stream.isConnected
        state.framesSent = app.stream.statistics.value.framesSent
        state.framesPerSecond = app.settings.current.value.framesPerSecond
        state.latestResponse = app.stream.latestResponse.value
        state.isSpeaking = app.voice.isSpeaking.value
        state.alert = failure ?? (isStarting ? nil : alert(of: stream))
        return state
    }

    /// A loss is an alert once nothing is done about it any more.
    private func alert(of stream: StreamingState) -> ScreenAlert? {
        guard stream.phase == .idle, let error = stream.error, error != dismissed else { return nil }
        return ScreenAlert("The assistant is not watching", error, offersRetry: true)
    }

    /// Follows the stream.
    public func appear() { model.follow() }

    /// Follows the stream no longer, which goes on.
    public func disappear() { model.unfollow() }

    /// Does what the user wants.
    public func send(_ action: Action) async {
        switch action {
        case .start: await start()
        case .retry:
            guard state.alert?.offersRetry == true else { return }
            await start()
        case .stop: await app.stopStreaming()
        case .stopSpeaking: await app.voice.stop()
        case .dismissAlert:
            // What the stream says of itself was not shown while there was a failure of the start.
            if failure != nil { failure = nil } else { dismissed = app.stream.state.value.error }
        }
        model.refresh()
    }

    private func start() async {
        (failure, dismissed) = (nil, app.stream.state.value.error)
        model.refresh()
        do {
            try await app.startStreaming()
            dismissed = nil
        } catch {
            note(error)
        }
    }

    private func note(_ error: any Error) {
        guard !Self.isCancellation(error) else { return }
        if error is LiveModelError, app.stream.state.value.error != nil {
            // What the stream says about itself is shown from there.
            dismissed = nil
        } else {
            failure = ScreenAlert("The stream did not start", error, offersRetry: true)
        }
    }

    /// Whether starting was ended by the user's own stop.
    private static func isCancellation(_ error: any Error) -> Bool {
        (error as? LiveModelError)?.code == .cancelled || (error as? CameraError)?.isOvertaken == true
    }
}

extension StreamScreen.State.Phase {
    fileprivate init(_ phase: StreamingState.Phase) {
        self =
            switch phase {
            case .idle: .idle
            case .connecting: .connecting
            case .streaming: .streaming
            case .reconnecting: .reconnecting
            case .stopping: .stopping
            }
    }
}
