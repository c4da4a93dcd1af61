import GeminiScripts
import GeminiServer
import Synchronization

/// What a real model has answered, as rules of a script.
///
/// Equal prompts share a rule, which gives their answers in the order in which they came. Rules of longer prompts come first, since
/// a rule holds for every prompt that contains its text.
public final class RecordedScript: Sendable {
    private struct State {
        var answers: [RecordedPrompt: [GeminiReply]] = [:]
        /// In the order in which they came first.
        var prompts: [RecordedPrompt] = []
        var isFull = false
    }

    private let state = Mutex(State())

    /// Makes a script without rules.
    public init() {}

    /// The text of the file; `nil` before the first answer.
    public var text: String? { state.withLock { GeminiScriptFile.text(of: Self.rules($0)) } }

    /// Whether an answer was left out because the file would be longer than `GeminiScriptFile.lengthMaximum`.
    public var isFull: Bool { state.withLock { $0.isFull } }

    func note(_ prompt: RecordedPrompt, _ reply: GeminiReply) {
        state.withLock { state in
            guard !state.isFull else { return }
            let before = (state.answers, state.prompts)
            if state.answers[prompt] == nil { state.prompts.append(prompt) }
            state.answers[prompt, default: []].append(reply)
            guard GeminiScriptFile.text(of: Self.rules(state)) == nil else { return }
            (state.answers, state.prompts) = before
            state.isFull = true
        }
    }

    private static func rules(_ state: State) -> [GeminiRule] {
        let order = state.prompts.enumerated().sorted { one, other in
            let (first, second) = (one.element.rank, other.element.rank)
            return first == second ? one.offset < other.offset : first > second
        }
        return order.map { GeminiRule($0.element.condition, replies: state.answers[$0.element] ?? []) }
    }
}
