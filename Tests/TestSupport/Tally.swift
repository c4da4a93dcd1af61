import Synchronization

/// A number that several tasks change.
package final class Tally: Sendable {
    private let number = Mutex(0)

    package init() {}

    package var value: Int { number.withLock { $0 } }

    @discardableResult
    package func add(_ amount: Int) -> Int {
        number.withLock { number in
            number += amount
            return number
        }
    }
}
