import Synchronization

/// A count that only grows.
final class Tally: Sendable {
    private let value = Atomic(0)

    /// What was counted so far.
    var count: Int { value.load(ordering: .sequentiallyConsistent) }

    /// Counts one more.
    func add() { value.add(1, ordering: .sequentiallyConsistent) }
}
