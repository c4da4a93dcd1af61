import Foundation
import Synchronization

/// How many cores are left for the seeds of further tests.
///
/// Swift Testing runs several tests at once, and each searches many seeds. A test that begins while others run has one core;
/// it does not wait for more, since it stands on a thread that the others may need.
final class Cores: Sendable {
    /// Those of this process.
    static let process = Cores(ProcessInfo.processInfo.activeProcessorCount)

    private let free: Mutex<Int>

    init(_ count: Int) { free = Mutex(count) }

    /// Calls `body` with the number of cores that it may use, from 1 to `most`.
    func with<Value>(upTo most: Int, _ body: (Int) throws -> Value) rethrows -> Value {
        let taken = free.withLock { free in
            let taken = max(1, min(free, most))
            free -= taken
            return taken
        }
        defer { free.withLock { $0 += taken } }
        return try body(taken)
    }
}
