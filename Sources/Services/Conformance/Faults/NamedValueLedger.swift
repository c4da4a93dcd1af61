internal import Synchronization

/// What values by name may be, as far as calls have reported it: for stores in which a change happens whole or not at all.
///
/// A change that has failed may have been made; of changes of one value at once any may be the last.
package final class NamedValueLedger: Sendable {
    private struct Value {
        var possible: Set<String?> = [nil]
        var underWay = 0
        /// Whether changes overlap, of which nobody knows the order.
        var isContended = false
    }

    private let values: Mutex<[String: Value]>

    /// Makes one of a store that holds certain values.
    package init(_ values: [String: String] = [:]) {
        self.values = Mutex(values.mapValues { Value(possible: [$0]) })
    }

    /// Makes a change, and takes note of how it ends.
    package func changing<Failure: Error>(
        _ changes: [String: String?],
        _ change: () throws(Failure) -> Void
    ) throws(Failure) {
        begin(changes)
        do { try change() } catch {
            end(changes, isDone: false)
            throw error
        }
        end(changes, isDone: true)
    }

    private func begin(_ changes: [String: String?]) {
        values.withLock { values in
            for (name, new) in changes {
                var value = values[name] ?? Value()
                value.possible.insert(new)
                value.underWay += 1
                value.isContended = value.isContended || value.underWay > 1
                values[name] = value
            }
        }
    }

    private func end(_ changes: [String: String?], isDone: Bool) {
        values.withLock { values in
            for (name, new) in changes {
                guard var value = values[name] else { continue }
                value.underWay -= 1
                if isDone, !value.isContended { value.possible = [new] }
                if value.underWay == 0 { value.isContended = false }
                values[name] = value
            }
        }
    }

    /// Checks that each value is one of those that it may be.
    ///
    /// - Parameters:
    ///   - words: What a report says of a value.
    ///   - read: Reads a value; what it throws fails the check.
    package func check(words: (String?) -> String, _ read: (String) throws -> String?) throws {
        let values = values.withLock { $0.mapValues(\.possible) }
        for (name, possible) in values.sorted(by: { $0.key < $1.key }) {
            let found = try read(name)
            let wanted = possible.map(words).sorted().joined(separator: " or ")
            try require(
                possible.contains(found),
                "what was reported as stored is there once the faults are over",
                saw: "\(words(found)) for “\(name)”, not \(wanted)"
            )
        }
    }
}
