import Synchronization

/// What the objects of a simulated service may take in memory, and take now.
public final class MemoryBudget: Sendable {
    /// About what the row of an object takes, without its metadata.
    public static let rowBytes: Int = 1024

    private let limit: Int
    private let use = Mutex(0)

    /// Makes a budget.
    ///
    /// - Parameter limit: Bytes.
    public init(limit: Int) { self.limit = limit }

    /// A part of the budget, which is given back when nobody holds it any more.
    public final class Share: Sendable {
        private let budget: MemoryBudget
        private let bytes = Mutex(0)

        /// Takes nothing yet.
        public init(of budget: MemoryBudget) { self.budget = budget }

        deinit {
            let bytes = bytes.withLock { $0 }
            budget.use.withLock { $0 -= bytes }
        }

        /// Counts bytes before they are kept, and says whether there is room for them; without room nothing is counted.
        public func takes(_ count: Int) -> Bool {
            let fits = budget.use.withLock { use in
                guard count <= budget.limit - use else { return false }
                use += count
                return true
            }
            if fits { bytes.withLock { $0 += count } }
            return fits
        }
    }
}
