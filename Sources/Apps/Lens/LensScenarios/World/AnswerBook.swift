import GeminiServer
import Synchronization

/// A brain that answers as another one does, but not always to the end, and keeps what it was asked and has answered.
final class AnswerBook: GeminiBrain {
    /// What was given to one request.
    struct Entry: Sendable {
        /// What was sent of the conversation.
        var contents: [GeminiContent]
        /// The texts of its events, however many of them went out.
        var pieces: [String]
        /// Whether it was answered to the end.
        var isWhole: Bool

        /// Whether a text is what was answered: all of it, or its beginning.
        ///
        /// - Parameter isDoubling: Whether the service may have sent any event twice, which no client can tell from a model that
        ///   says something twice.
        func matches(_ text: String, isCut: Bool, isDoubling: Bool) -> Bool {
            let text = Array(text.utf8)
            var ends: Set = [0]
            for piece in pieces {
                let piece = Array(piece.utf8)
                var next: Set<Int> = []
                for end in ends {
                    for said in isDoubling ? [piece, piece + piece] : [piece] {
                        let rest = text[end...]
                        if isCut, said.starts(with: rest) { return true }
                        if rest.starts(with: said) { next.insert(end + said.count) }
                    }
                }
                ends = next
            }
            return ends.contains(text.count)
        }
    }

    private let base: any GeminiBrain
    private let kept = Mutex<[Entry]>([])
    private let isKind = Mutex(false)

    init(_ base: any GeminiBrain) { self.base = base }

    /// All answers so far, in the order of their requests.
    var entries: [Entry] { kept.withLock { $0 } }

    /// From now on answers to the end.
    func beKind() { isKind.withLock { $0 = true } }

    func reply(to turn: GeminiTurn) -> GeminiReply {
        var reply = base.reply(to: turn)
        if !isKind.withLock({ $0 }) {
            let failure = GeminiFailure(
                503,
                "UNAVAILABLE",
                "The model is overloaded. Please try again later."
            )
            switch Int.random(in: 0..<12) {
            case 0: reply = GeminiReply([], ending: .blocked("SAFETY"))
            case 1: reply = GeminiReply([], ending: .failed(failure))
            case 2: reply.ending = .failed(failure)
            case 3: reply.ending = .finished("MAX_TOKENS")
            case 4: reply = GeminiReply([])
            case 5:
                reply.chunks = Array(reply.chunks.prefix(Int.random(in: 0...reply.chunks.count)))
                reply.ending = .finished("SAFETY")
            default: break
            }
        }
        let entry = Entry(
            contents: turn.contents,
            pieces: reply.chunks.map { $0.parts.joined() },
            isWhole: reply.ending == .finished("STOP")
        )
        kept.withLock { $0.append(entry) }
        return reply
    }
}
