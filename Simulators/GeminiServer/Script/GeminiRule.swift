/// What is said when something holds of a turn.
public struct GeminiRule: Sendable, Hashable {
    /// What has to hold; an empty condition always does.
    public struct Condition: Sendable, Hashable {
        /// Results of calls that a turn brings.
        public enum Result: Sendable, Hashable {
            /// Any, or none.
            case any(Bool)
            /// One of this function.
            case of(String)
        }

        /// Characters of a prompt that a pattern looks at, since a pattern may take its time.
        private static let matchedCharacters = 10_000

        /// What the prompt contains, in capital or small letters.
        public var text: String?
        /// A regular expression that the prompt matches somewhere.
        public var pattern: String?
        /// The model that is asked, without `models/`.
        public var model: String?
        /// Whether the newest content brings a picture; in Live sessions, whether the conversation has brought any.
        public var hasPicture: Bool?
        /// Whether the newest content brings an uploaded file.
        public var hasFile: Bool?
        /// The number of the turn, from 0.
        public var turn: Int?
        /// What calls have given.
        public var result: Result?

        /// Makes a condition that always holds.
        public init() {}

        /// Whether it holds of a turn.
        public func holds(for turn: GeminiTurn) -> Bool {
            if let text, !turn.prompt.lowercased().contains(text.lowercased()) { return false }
            if let pattern, !Self.matches(turn.prompt, pattern) { return false }
            if let model, turn.model != model { return false }
            if let hasPicture, turn.hasPicture != hasPicture { return false }
            if let hasFile, turn.hasFile != hasFile { return false }
            if let number = self.turn, turn.index != number { return false }
            switch result {
            case nil: return true
            case .any(let isThere): return turn.results.isEmpty != isThere
            case .of(let name): return turn.results.contains { $0.name == name }
            }
        }

        private static func matches(_ text: String, _ pattern: String) -> Bool {
            // Compiled here, since expressions cannot be shared; one that is none matches nothing.
            guard let expression = try? Regex(pattern) else { return false }
            return text.prefix(matchedCharacters).contains(expression)
        }
    }

    /// Over what uses are counted.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// All conversations of the server.
        case server
        /// Each conversation for itself, so that neighbours do not disturb each other; see ``GeminiTurn/conversation``.
        case conversation
    }

    /// The state in which a server, and each conversation, begins.
    public static let firstState: String = "start"

    /// When it is said.
    public var condition: Condition
    /// The state in which it holds; `nil` for any.
    public var state: String?
    /// The state after it has spoken; `nil` where it stays as it is.
    public var nextState: String?
    /// What is said: each time the next, and after the last the first again.
    public var replies: [GeminiReply]
    /// How often at most.
    public var limit: Int
    /// Over what ``limit`` and the order of ``replies`` count, and whose state it is: the server's, or each conversation's own.
    public var scope: Scope

    /// Makes a rule.
    ///
    /// - Precondition: There is a reply.
    public init(
        _ condition: Condition = Condition(),
        replies: [GeminiReply],
        atMost limit: Int = .max,
        per scope: Scope = .server,
        in state: String? = nil,
        then nextState: String? = nil
    ) {
        precondition(!replies.isEmpty, "a rule has at least one reply")
        self.condition = condition
        self.replies = replies
        self.limit = limit
        self.scope = scope
        (self.state, self.nextState) = (state, nextState)
    }
}
