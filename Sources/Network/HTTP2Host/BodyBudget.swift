internal import Synchronization

/// The bytes of requests that a listener holds, together.
final class BodyBudget: Sendable {
    private let left: Mutex<Int>

    init(bytes: Int) { left = Mutex(bytes) }

    /// Takes some, and says whether there were as many.
    func take(_ count: Int) -> Bool {
        left.withLock { left in
            guard count <= left else { return false }
            left -= count
            return true
        }
    }

    /// Gives some back.
    func give(_ count: Int) { left.withLock { $0 += count } }
}
