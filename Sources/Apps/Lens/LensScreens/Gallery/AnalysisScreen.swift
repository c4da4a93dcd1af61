public import Concurrency
public import Foundation
public import Lens
public import ScreenKit

/// Questions about one video, and the assistant's answer.
@MainActor
public final class AnalysisScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// How far the question has come.
        public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
            case idle
            /// Pictures of the video are chosen.
            case looking
            /// The answer is waited for, or comes.
            case asking
        }

        /// The video; `nil` when none is asked about, or it is none of the gallery's.
        public var video: UUID?
        /// What was asked last.
        public var question: String = ""
        /// How far it has come.
        public var phase: Phase = .idle
        /// How many pictures of the video were sent with it.
        public var pictures: Int = 0
        /// What was answered so far, in Markdown.
        public var answer: String = ""
        /// Whether the answer is not all that there was to say: it was stopped, or failed.
        public var isPartial: Bool = false
        /// Why there is no answer, or not all of one.
        public var alert: ScreenAlert?

        /// The state of a screen that shows nothing.
        public init() {}
    }

    /// All that the user can do.
    public enum Action: Codable, Hashable, Sendable {
        /// Asks about the video, in place of what is being answered; past ``ChatScreen/inputLimit`` characters it is cut.
        case ask(String)
        /// Ends the answer, and leaves what came of it.
        case stop
        /// Asks again what was not answered.
        case retry
        /// Closes the alert.
        case dismissAlert
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    /// The video that is asked about; another one is asked the first question at once.
    var url: URL? {
        didSet {
            guard url != oldValue else { return }
            shown = State()
            shown.video = url.flatMap(app.videoAnalysis.video)
            if url == nil { end() } else { ask(VideoAnalysis.firstQuestion) }
        }
    }

    private let app: LensApp
    private let current = CurrentValue(State())
    private let asking = OwnedTasks()
    /// The number of the present question: what earlier ones still say is nothing.
    private var number = 0
    private var shown = State() {
        didSet { if shown != current.value { current.set(shown) } }
    }

    /// Creates the screen of an app, which shows nothing yet.
    public init(_ app: LensApp) {
        self.app = app
        states = current.published
    }

    /// Does nothing: all depends on the video that is asked about, and on the user.
    public func appear() {}

    /// Ends the answer.
    public func disappear() { stop() }

    /// Does what the user wants; returns before an answer.
    public func send(_ action: Action) async {
        switch action {
        case .ask(let text):
            let question = String(text.prefix(ChatScreen.inputLimit))
            if !question.allSatisfy(\.isWhitespace) { ask(question) }
        case .stop: stop()
        case .retry: if shown.alert?.offersRetry == true { ask(shown.question) }
        case .dismissAlert: shown.alert = nil
        }
    }

    private func ask(_ question: String) {
        guard let url else { return }
        number += 1
        var state = State()
        (state.video, state.question, state.phase) = (shown.video, question, .looking)
        shown = state
        asking.replace(with: [
            Task { [weak self, number, analysis = app.videoAnalysis] in
                do throws(ChatFailure) {
                    let isWhole = try await analysis.ask(question, about: url) { self?.take($0, of: number) }
                    self?.finish(number) { $0.isPartial = !isWhole }
                } catch {
                    self?.finish(number) {
                        $0.isPartial = !$0.answer.isEmpty
                        $0.alert = ScreenAlert("The question was not answered", error, offersRetry: true)
                    }
                }
            }
        ])
    }

    private func take(_ step: VideoAnalysis.Step, of number: Int) {
        guard number == self.number else { return }
        switch step {
        case .asking(let pictures): (shown.phase, shown.pictures) = (.asking, pictures)
        case .grew(let piece): shown.answer += piece
        }
    }

    private func finish(_ number: Int, _ change: (inout State) -> Void) {
        guard number == self.number else { return }
        var state = shown
        state.phase = .idle
        change(&state)
        shown = state
    }

    private func stop() {
        guard shown.phase != .idle else { return }
        end()
        (shown.phase, shown.isPartial) = (.idle, true)
    }

    private func end() {
        number += 1
        asking.cancelAll()
    }
}
