import Synchronization

/// A value that several tasks of a test or a case read and write.
package final class Box<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    package init(_ value: Value) { mutex = Mutex(value) }

    package var value: Value { mutex.withLock { $0 } }

    package func set(_ value: Value) { mutex.withLock { $0 = value } }
}

extension Box {
    package func append<Element: Sendable>(_ element: Element) where Value == [Element] {
        mutex.withLock { $0.append(element) }
    }

    package func increment() where Value == Int { add(1) }

    /// Returns the sum.
    @discardableResult
    package func add(_ amount: Int) -> Int where Value == Int {
        mutex.withLock { number in
            number += amount
            return number
        }
    }
}
