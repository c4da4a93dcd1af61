/// An answer while it is given; it can be read once.
///
/// It ends after one ``ChatEvent/ended(_:)``, or breaks with an error after the events that came before: an answer that
/// simply stops is an error, ``ChatModelError/Code/interrupted``.
public struct ChatStream: AsyncSequence, Sendable {
    /// A piece of the answer, or its end.
    public typealias Element = ChatEvent
    /// What may break it.
    public typealias Failure = ChatModelError

    private let pull: @Sendable () async throws(ChatModelError) -> ChatEvent?

    /// Makes a stream of the events that `pull` returns until it returns `nil`.
    ///
    /// - Parameter pull: Called by one reader at a time; not called again after `nil` or an error.
    public init(_ pull: @escaping @Sendable () async throws(ChatModelError) -> ChatEvent?) {
        self.pull = pull
    }

    /// Makes the one reader.
    public func makeAsyncIterator() -> Iterator { Iterator(pull: pull) }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let pull: @Sendable () async throws(ChatModelError) -> ChatEvent?
        private var isOver = false

        fileprivate init(pull: @escaping @Sendable () async throws(ChatModelError) -> ChatEvent?) {
            self.pull = pull
        }

        /// Waits for the next event; `nil` at the end.
        public mutating func next() async throws(ChatModelError) -> ChatEvent? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next event; `nil` at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ChatModelError) -> ChatEvent? {
            if isOver { return nil }
            do {
                let event = try await pull()
                isOver = event == nil
                return event
            } catch {
                isOver = true
                throw error
            }
        }
    }
}

/// A piece of an answer, or its end.
public enum ChatEvent: Sendable, Hashable {
    /// More words; never empty, and maybe cut inside a word.
    case text(String)
    /// More of what the model thinks; never empty, and no part of the answer. Comes for ``ChatThinking/isShown``.
    case thought(String)
    /// Something else than words: a function call, a picture.
    case part(ChatPart)
    /// Tokens so far; the last one counts.
    case usage(TokenUsage)
    /// A source that the answer repeats.
    case citation(Citation)
    /// Something of another answer to the same request, by its number from 1, for ``GenerationSettings/candidates``.
    indirect case alternative(Int, ChatEvent)
    /// The end of the answer; nothing but usage, and what belongs to other answers, comes after it.
    case ended(ChatEnding)
}
