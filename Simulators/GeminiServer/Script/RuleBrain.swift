import Synchronization

/// Says what the first rule says that holds, in the present state, and is not used up.
///
/// Uses of a rule count over all conversations of a server, or in each conversation for itself, as its scope says, and so do states.
public final class RuleBrain: GeminiBrain {
    /// It never does.
    public var mayBlock: Bool { false }

    /// Conversations whose uses are known; the one that began first is forgotten, and its counts and its state begin again.
    static let mostConversations = 1_000

    /// What is counted over a server or in a conversation.
    private struct Uses {
        /// How often rules were used, by their places.
        var counts: [Int: Int] = [:]
        var state = GeminiRule.firstState

        /// The number of the next use, from 0, where the rule holds in this state and was used less often than its limit.
        mutating func next(_ place: Int, of rule: GeminiRule) -> Int? {
            let count = counts[place, default: 0]
            guard count < rule.limit, rule.state == nil || rule.state == state else { return nil }
            counts[place] = count + 1
            if let next = rule.nextState { state = next }
            return count
        }
    }

    private struct AllUses {
        var ofServer = Uses()
        var ofConversations: [Int: Uses] = [:]
        /// The conversations in the order in which they began.
        var order: [Int] = []

        mutating func next(_ place: Int, of rule: GeminiRule, in conversation: Int) -> Int? {
            switch rule.scope {
            case .server: return ofServer.next(place, of: rule)
            case .conversation:
                if ofConversations[conversation] == nil {
                    order.append(conversation)
                    if order.count > RuleBrain.mostConversations {
                        ofConversations[order.removeFirst()] = nil
                    }
                }
                return ofConversations[conversation, default: Uses()].next(place, of: rule)
            }
        }
    }

    private let rules: [GeminiRule]
    private let otherwise: any GeminiBrain
    private let uses = Mutex(AllUses())

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
        let holding = rules.indices.filter { rules[$0].condition.holds(for: turn) }
        // At once: a state that another turn changes must not be seen half way.
        let chosen = uses.withLock { uses -> GeminiReply? in
            for place in holding {
                let rule = rules[place]
                guard let use = uses.next(place, of: rule, in: turn.conversation) else { continue }
                return rule.replies[use % rule.replies.count]
            }
            return nil
        }
        if let chosen { return chosen }
        return otherwise.reply(to: turn)
    }
}
