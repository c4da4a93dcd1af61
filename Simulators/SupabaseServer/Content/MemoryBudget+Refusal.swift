import PeerKit

extension MemoryBudget.Share {
    /// Counts bytes before they are kept.
    func grow(by count: Int) throws(StorageFailure) {
        guard takes(count) else { throw .outOfMemory }
    }
}
