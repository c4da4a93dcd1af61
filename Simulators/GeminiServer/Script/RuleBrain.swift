import Synchronization

/// Says what the first rule says that holds and is not used up.
///
/// Rules count over all conversations of a server.
public final class RuleBrain: GeminiBrain {
    private let rules: [GeminiRule]
    private let otherwise: any GeminiBrain
    private let uses: Mutex<[Int]>

    /// Makes a brain.
    ///
    /// - Parameters:
    ///   - rules: In the order in which they are tried.
    ///   - otherwise: Who speaks when no rule holds.
    public init(_ rules: [GeminiRule], otherwise: any GeminiBrain = DescribingBrain()) {
        self.rules = rules
        self.otherwise = otherwise
        uses = Mutex(Array(repeating: 0, count: rules.count))
    }

    /// The reply of the rule.
    public func reply(to turn: GeminiTurn) -> GeminiReply {
        for (index, rule) in rules.enumerated() where rule.condition.holds(for: turn) {
            let use = uses.withLock { uses -> Int? in
                guard uses[index] < rule.limit else { return nil }
                defer { uses[index] += 1 }
                return uses[index]
            }
            if let use { return rule.replies[use % rule.replies.count] }
        }
        return otherwise.reply(to: turn)
    }
}
