public import Concurrency
public import Lens
public import ScreenKit

/// The reply that is being given: a screen of its own, since it changes with each word, and what surrounds it does not.
@MainActor
public final class ReplyScreen: Screen {
    /// All that the screen shows.
    public struct State: Codable, Hashable, Sendable {
        /// The reply so far; empty between replies.
        public var text: String = ""

        /// The state between replies.
        public init() {}
    }

    /// Nothing can be done with a reply here.
    public enum Action: Codable, Hashable, Sendable {
        /// Reads no action: there is none.
        ///
        /// - Throws: `DecodingError`, always.
        public init(from decoder: any Decoder) throws {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath,
                    debugDescription: "a reply has no actions"
                )
            )
        }

        /// Writes an action, of which there is none.
        public func encode(to encoder: any Encoder) throws { switch self {} }
    }

    /// The present state and all later ones.
    public nonisolated let states: Published<State>

    private let model: ScreenModel<State>

    /// Creates the screen of an app.
    public init(_ app: LensApp) {
        model = ScreenModel(State(), sources: [app.conversation.content])
        states = model.states
        model.derive = {
            var state = State()
            state.text = app.conversation.content.value.streamingResponse
            return state
        }
    }

    /// Follows the conversation.
    public func appear() { model.follow() }

    /// Follows the conversation no longer.
    public func disappear() { model.unfollow() }

    /// Does nothing: there is no action.
    public func send(_ action: Action) async {}
}
