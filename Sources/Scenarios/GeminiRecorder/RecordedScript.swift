import GeminiScripts
import GeminiServer
import Synchronization

/// What a real model has answered, as rules of a script.
///
/// Equal prompts share a rule, which gives their answers in the order in which they came. Rules of longer prompts come first, since
/// a rule holds for every prompt that contains its text.
public final class RecordedScript: Sendable {
    /// Bytes of the file that answers may take, with room for what joins them.
    private static let mostBytes = GeminiScriptFile.lengthMaximum / 2

    private struct State {
        var answers: [RecordedPrompt: [GeminiReply]] = [:]
        /// In the order in which they came first.
        var prompts: [RecordedPrompt] = []
        /// Of each answer as a rule of its own.
        var bytes = 0
        var leftOutCount = 0
    }

    private let state = Mutex(State())

    /// Makes a script without rules.
    public init() {}

    /// The text of the file; `nil` before the first answer.
    public var text: String? {
        let (prompts, answers) = state.withLock { ($0.prompts, $0.answers) }
        let ranked = prompts.enumerated().map {
            (rank: $0.element.rank, offset: $0.offset, prompt: $0.element)
        }
        let ordered = ranked.sorted { one, other in
            one.rank == other.rank ? one.offset < other.offset : one.rank > other.rank
        }
        return GeminiScriptFile.text(
            of: ordered.map { GeminiRule($0.prompt.condition, replies: answers[$0.prompt] ?? []) }
        )
    }

    /// How many answers are not in the file: there was no room, or a script cannot hold them.
    public var leftOutCount: Int { state.withLock { $0.leftOutCount } }

    func note(_ prompt: RecordedPrompt, _ reply: GeminiReply) {
        // What the file's reader would refuse would make all of it useless.
        let rule = GeminiScriptFile.text(of: [GeminiRule(prompt.condition, replies: [reply])])
        let size = rule.flatMap { text in (try? GeminiScriptFile.brain(of: text)).map { _ in text.utf8.count }
        }
        state.withLock { state in
            guard let size, state.bytes + size <= Self.mostBytes else {
                state.leftOutCount += 1
                return
            }
            state.bytes += size
            if state.answers[prompt] == nil { state.prompts.append(prompt) }
            state.answers[prompt, default: []].append(reply)
        }
    }
}
