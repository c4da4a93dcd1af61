import Synchronization

/// What a project's objects may take in memory, and take now.
final class MemoryBudget: Sendable {
    /// About what a row takes, without its metadata.
    static let rowBytes = 1024

    private let limit: Int
    private let use = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// A part of the budget, which is given back when nobody holds it any more.
    final class Share: Sendable {
        private let budget: MemoryBudget
        private let bytes = Mutex(0)

        init(of budget: MemoryBudget) { self.budget = budget }

        deinit {
            let bytes = bytes.withLock { $0 }
            budget.use.withLock { $0 -= bytes }
        }

        /// Counts bytes before they are kept.
        func grow(by count: Int) throws(StorageFailure) {
            let fits = budget.use.withLock { use in
                guard count <= budget.limit - use else { return false }
                use += count
                return true
            }
            guard fits else { throw .outOfMemory }
            bytes.withLock { $0 += count }
        }
    }
}
