package import Simulation

/// Pairs of steps whose order may matter, the likeliest first.
///
/// First those of a task that still waits at the end and another one, on the actor on which it waits: there somebody must have come too
/// early or too late for it. Then those of others on such an actor. Then others of different tasks on one actor, then those of which one is on no actor and may share anything, and last
/// steps that come before a task that would otherwise go on for long. Near steps come before distant ones, by time and then by
/// order, and later before earlier: what comes early in a run may only lead to what matters. A step that leads to another is
/// no pair with it, since their order cannot be another.
package struct StepPairs: Sequence {
    /// Two steps, by index.
    package struct Pair {
        package var early: Int
        package var late: Int
        var isOnOneActor: Bool
        /// Whether the early step comes too soon for all that the task of the late one has still to do, of which the late step
        /// is the first.
        var isOpen = false
    }

    private let pairs: [Pair]
    private let trace: Trace

    /// The pairs of a run.
    ///
    /// - Parameters:
    ///   - trace: What it has recorded.
    ///   - waiting: The tasks that still wait at its end.
    package init(_ trace: Trace, waiting: Set<Int> = []) {
        self.trace = trace
        let steps = trace.steps
        let tasks = steps.indices.filter { steps[$0].task > 0 }
        let byActor = Dictionary(grouping: tasks) { Place(steps[$0]) }
        var near: [Ranked] = []
        for (place, indices) in byActor where place != nil {
            near += Self.pairs(of: indices, in: steps, isOnOneActor: true)
        }
        let far = Self.pairs(of: tasks, in: steps, isOnOneActor: false).filter {
            let (early, late) = (steps[$0.pair.early], steps[$0.pair.late])
            return early.node == late.node && (Place(early) == nil || Place(late) == nil)
        }
        // The body mostly waits for the others.
        let waiting = waiting == [1] ? waiting : waiting.subtracting([1])
        let last = Dictionary(tasks.map { (steps[$0].task, Place(steps[$0])) }) { $1 }
        let places = Dictionary(grouping: waiting) { last[$0] ?? nil }
        for index in near.indices {
            let (early, late) = (steps[near[index].pair.early], steps[near[index].pair.late])
            let waiters = places[Place(early)] ?? []
            let isOwn = waiters.contains(early.task) || waiters.contains(late.task)
            near[index].relevance = isOwn ? 0 : waiters.isEmpty ? 2 : 1
        }
        pairs = [near, far].flatMap { $0.sorted().map(\.pair) } + Self.openPairs(of: tasks, in: steps)
    }

    package func makeIterator() -> some IteratorProtocol<Pair> {
        pairs.lazy.filter { [trace] in !trace.leads($0.early, to: $0.late) }.makeIterator()
    }

    /// A pair and how far apart its steps are.
    private struct Ranked: Comparable {
        /// The magnitude of the time between both.
        var time: Int
        /// Steps between both.
        var distance: Int
        var pair: Pair
        /// How far the pair is from what tasks still wait for.
        var relevance = 0

        static func < (one: Ranked, other: Ranked) -> Bool { one.rank < other.rank }
        static func == (one: Ranked, other: Ranked) -> Bool { one.rank == other.rank }

        private var rank: (Int, Int, Int, Int, Int) {
            (relevance, time, distance, -pair.late, -pair.early)
        }
    }

    /// Each step with the next one of each other task of its node.
    private static func openPairs(of indices: [Int], in steps: [Trace.Step]) -> [Pair] {
        let farthest = 64
        var pairs: [Pair] = []
        for first in indices.indices.reversed() {
            let early = indices[first]
            var seen: Set = [steps[early].task]
            for late in indices[(first + 1)...].prefix(farthest) {
                guard steps[late].node == steps[early].node, seen.insert(steps[late].task).inserted else {
                    continue
                }
                pairs.append(Pair(early: early, late: late, isOnOneActor: false, isOpen: true))
            }
        }
        return pairs
    }

    /// The pairs of a list of steps that are at most so many places apart in it.
    private static func pairs(
        of indices: [Int],
        in steps: [Trace.Step],
        isOnOneActor: Bool
    ) -> [Ranked] {
        let farthest = 32
        return indices.indices.flatMap { first in
            ((first + 1)..<Swift.min(indices.count, first + 1 + farthest)).compactMap { second in
                let (early, late) = (indices[first], indices[second])
                guard steps[early].task != steps[late].task else { return nil }
                let apart = steps[late].nanoseconds - steps[early].nanoseconds
                return Ranked(
                    // Less than that is what steps themselves take.
                    time: apart >= 10_000 ? String(apart).count : 0,
                    distance: second - first,
                    pair: Pair(early: early, late: late, isOnOneActor: isOnOneActor)
                )
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

extension Trace {
    /// Whether one step leads to another: that is of the same task, or was made ready by what the first one has led to.
    func leads(_ early: Int, to late: Int) -> Bool {
        var tasks: Set<Int> = [], led: Set<Int> = []
        for index in early...late {
            let step = steps[index]
            let follows =
                index == early || led.contains(step.cause - 1) || (step.task > 0 && tasks.contains(step.task))
            guard follows else { continue }
            led.insert(index)
            if step.task > 0 { tasks.insert(step.task) }
        }
        return led.contains(late)
    }
}
