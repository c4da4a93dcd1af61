import Simulation

/// Pairs of steps whose order may matter, the likeliest first.
///
/// First those of different tasks on one actor, then those of which one is on no actor and may share anything. Near steps
/// come before distant ones, later before earlier: what comes early in a run may only lead to what matters.
struct StepPairs: Sequence {
    /// Two steps, by index.
    struct Pair {
        var early: Int
        var late: Int
        var isOnOneActor: Bool
    }

    private let pairs: [Pair]

    /// The pairs of a run.
    init(_ trace: Trace) {
        let steps = trace.steps
        let tasks = steps.indices.filter { steps[$0].task > 0 }
        let byActor = Dictionary(grouping: tasks) { Place(steps[$0]) }
        var near: [(distance: Int, pair: Pair)] = []
        for (place, indices) in byActor where place != nil {
            near += Self.pairs(of: indices, in: steps, isOnOneActor: true)
        }
        let far = Self.pairs(of: tasks, in: steps, isOnOneActor: false).filter { _, pair in
            steps[pair.early].node == steps[pair.late].node
                && (Place(steps[pair.early]) == nil || Place(steps[pair.late]) == nil)
        }
        pairs = [near, far].flatMap { pairs in
            pairs.sorted { ($0.distance, -$0.pair.late, -$0.pair.early) < ($1.distance, -$1.pair.late, -$1.pair.early) }
                .map(\.pair)
        }
    }

    func makeIterator() -> some IteratorProtocol<Pair> { pairs.makeIterator() }

    /// The pairs of a list of steps that are at most so many places apart in it.
    private static func pairs(
        of indices: [Int],
        in steps: [Trace.Step],
        isOnOneActor: Bool
    ) -> [(distance: Int, pair: Pair)] {
        let farthest = 32
        return indices.indices.flatMap { first in
            ((first + 1)..<Swift.min(indices.count, first + 1 + farthest)).compactMap { second in
                let (early, late) = (indices[first], indices[second])
                guard steps[early].task != steps[late].task else { return nil }
                return (second - first, Pair(early: early, late: late, isOnOneActor: isOnOneActor))
            }
        }
    }

    /// An actor; each node has a main actor of its own.
    private enum Place: Hashable {
        case actor(Int)
        case mainActor(node: Int)

        init?(_ step: Trace.Step) {
            if step.kind == .mainActor {
                self = .mainActor(node: step.node)
            } else if step.actor > 0 {
                self = .actor(step.actor)
            } else {
                return nil
            }
        }
    }
}
