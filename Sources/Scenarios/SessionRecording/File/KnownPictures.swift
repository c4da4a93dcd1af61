import Synchronization

/// The pictures that a recording has, by their hashes, each with the time at which it was seen last.
final class KnownPictures: Sendable {
    private let lastSeen = Mutex<[UInt64: Int64]>([:])

    /// Notes that a picture was seen; returns whether the recording does not have it yet.
    func see(_ hash: UInt64, at nanoseconds: Int64) -> Bool {
        lastSeen.withLock { lastSeen in
            let known = lastSeen[hash]
            lastSeen[hash] = max(known ?? nanoseconds, nanoseconds)
            return known == nil
        }
    }

    /// Forgets those that were not seen since a time, and returns their hashes: the recording has them no longer.
    func forget(before nanoseconds: Int64) -> [UInt64] {
        lastSeen.withLock { lastSeen in
            let old = lastSeen.filter { $0.value < nanoseconds }.keys
            for hash in old { lastSeen[hash] = nil }
            return Array(old)
        }
    }
}
