import Synchronization

/// Says what the first rule says that holds and is not used up.
///
/// Uses of a rule count over all conversations of a server, or in each conversation for itself, as its scope says.
public final class RuleBrain: GeminiBrain {
    /// Conversations whose uses are known; the one that began first is forgotten, and its counts begin at zero again.
    static let mostConversations = 1_000

    /// How often rules were used, by their places.
    private struct Uses {
        var ofServer: [Int: Int] = [:]
        var ofConversations: [Int: [Int: Int]] = [:]
        /// The conversations in the order in which they began.
        var order: [Int] = []

        /// The number of the next use, from 0, while it is below the limit.
        mutating func next(_ place: Int, of rule: GeminiRule, in conversation: Int) -> Int? {
            switch rule.scope {
            case .server: return Self.next(&ofServer[place, default: 0], below: rule.limit)
            case .conversation:
                if ofConversations[conversation] == nil {
                    order.append(conversation)
                    if order.count > RuleBrain.mostConversations {
                        ofConversations[order.removeFirst()] = nil
                    }
                }
                return Self.next(
                    &ofConversations[conversation, default: [:]][place, default: 0],
                    below: rule.limit
                )
            }
        }

        private static func next(_ uses: inout Int, below limit: Int) -> Int? {
            guard uses < limit else { return nil }
            defer { uses += 1 }
            return uses
        }
    }

    private let rules: [GeminiRule]
    private let otherwise: any GeminiBrain
    private let uses = Mutex(Uses())

    /// Makes a brain.
    ///
    /// - Parameters:
    ///   - rules: In the order in which they are tried.
    ///   - otherwise: Who speaks when no rule holds.
    public init(_ rules: [GeminiRule], otherwise: any GeminiBrain = DescribingBrain()) {
        self.rules = rules
        self.otherwise = otherwise
    }

    /// The reply of the rule.
    public func reply(to turn: GeminiTurn) -> GeminiReply {
        for (place, rule) in rules.enumerated() where rule.condition.holds(for: turn) {
            let use = uses.withLock { $0.next(place, of: rule, in: turn.conversation) }
            if let use { return rule.replies[use % rule.replies.count] }
        }
        return otherwise.reply(to: turn)
    }
}
