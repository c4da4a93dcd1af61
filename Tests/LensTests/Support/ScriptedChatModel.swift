import Concurrency
import Services
import Synchronization

/// A chat model whose answers the test makes up; each request takes the next of the script.
final class ScriptedChatModel: ChatModel {
    /// What happens in an answer, in order.
    enum Step: Sendable {
        case text(String)
        /// Goes on once the gate is open, or the reader is cancelled.
        case waits(CurrentValue<Bool>)
        case ends(ChatEnding)
        case fails(ChatModelError)
        /// Does something of the test's before the next step; at the beginning, before the call returns.
        case does(@Sendable () async -> Void)
    }

    private struct Script {
        var answers: [[Step]]
        var requests: [ChatRequest] = []
    }

    private let script: Mutex<Script>
    /// How many readers were cancelled.
    let cancellations = CurrentValue(0)

    init(_ answers: [[Step]] = []) {
        script = Mutex(Script(answers: answers))
    }

    /// Answers each request with one text.
    convenience init(texts: String...) {
        self.init(texts.map { [.text($0), .ends(.finished(.stop, []))] })
    }

    var requests: [ChatRequest] { script.withLock { $0.requests } }

    static func error(_ code: ChatModelError.Code) -> ChatModelError {
        ChatModelError(code, operation: "stream", peer: "script")
    }

    func stream(_ request: ChatRequest) async throws(ChatModelError) -> ChatStream {
        var rest = try next(request)
        while case .does(let work)? = rest.first {
            rest.removeFirst()
            await work()
        }
        let steps = CurrentValue(rest)
        return ChatStream { [cancellations] () async throws(ChatModelError) in
            while true {
                let step = steps.update { $0.isEmpty ? nil : $0.removeFirst() }
                switch step {
                case .text(let text)?: return .text(text)
                case .waits(let gate)?: await gate.reaches { $0 }
                case .ends(let ending)?: return .ended(ending)
                case .fails(let error)?: throw error
                case .does(let work)?: await work()
                case nil: return nil
                }
                guard !Task.isCancelled else {
                    cancellations.update { $0 += 1 }
                    throw Self.error(.cancelled)
                }
            }
        }
    }

    func generate(_ request: ChatRequest) async throws(ChatModelError) -> ChatAnswer {
        var answer = ChatAnswer(parts: [], ending: .finished(.stop, []))
        for try await event in try await stream(request) {
            switch event {
            case .text(let text): answer.parts.append(.text(text))
            case .ended(let ending): answer.ending = ending
            case .thought, .part, .citation, .alternative, .usage: break
            }
        }
        return answer
    }

    func countTokens(_ request: ChatRequest) async throws(ChatModelError) -> Int { request.contents.count }

    private func next(_ request: ChatRequest) throws(ChatModelError) -> [Step] {
        let steps = script.withLock { script in
            script.requests.append(request)
            return script.answers.isEmpty ? nil : script.answers.removeFirst()
        }
        guard let steps else { throw Self.error(.unreachable) }
        return steps
    }
}
