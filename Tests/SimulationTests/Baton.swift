import Dispatch

/// Lets one thread of a test wait for another.
final class Baton: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func pass() { semaphore.signal() }
    func wait() { semaphore.wait() }
}
