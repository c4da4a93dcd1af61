internal import Synchronization

/// What values by name may be, as far as calls have reported it: for stores in which a change happens whole or not at all.
///
/// A change that has failed may have been made; of changes of one value at once any may be the last. Names and values are compared as
/// bytes.
package final class NamedValueLedger: Sendable {
    private typealias Bytes = [UInt8]

    private struct Value {
        /// What it may be; `nil` for nothing.
        var possible: Set<Bytes?> = [nil]
        /// What changes that overlap make of it.
        var wanted: Set<Bytes?> = []
        var underWay = 0
        /// Whether one of those is done.
        var isChanged = false
    }

    private let values: Mutex<[Bytes: (name: String, value: Value)]>

    /// Makes one of a store that holds certain values.
    package init(_ values: [String: String] = [:]) {
        let known = values.map { name, value in
            (Array(name.utf8), (name, Value(possible: [Array(value.utf8)])))
        }
        self.values = Mutex(Dictionary(known) { $1 })
    }

    /// Makes a change, and takes note of how it ends.
    package func changing<Failure: Error>(
        _ changes: [String: String?],
        _ change: () throws(Failure) -> Void
    ) throws(Failure) {
        for (name, new) in changes { begin(name, new.map { Array($0.utf8) }) }
        do { try change() } catch {
            for name in changes.keys { end(name, isDone: false) }
            throw error
        }
        for name in changes.keys { end(name, isDone: true) }
    }

    private func begin(_ name: String, _ new: Bytes?) {
        values.withLock { values in
            var value = values[Array(name.utf8)]?.value ?? Value()
            value.wanted.insert(new)
            value.underWay += 1
            values[Array(name.utf8)] = (name, value)
        }
    }

    private func end(_ name: String, isDone: Bool) {
        values.withLock { values in
            guard var value = values[Array(name.utf8)]?.value else { return }
            value.underWay -= 1
            value.isChanged = value.isChanged || isDone
            if value.underWay == 0 {
                // Where none is reported as done, it may still be what it was.
                value.possible = value.isChanged ? value.wanted : value.possible.union(value.wanted)
                (value.wanted, value.isChanged) = ([], false)
            }
            values[Array(name.utf8)] = (name, value)
        }
    }

    /// Checks that each value is one of those that it may be; no change is under way any more.
    ///
    /// - Parameters:
    ///   - words: What a report says of a value.
    ///   - read: Reads a value; what it throws fails the check.
    package func check(words: (String?) -> String, _ read: (String) throws -> String?) throws {
        let values = values.withLock { $0.values.map { ($0.name, $0.value.possible) } }
        for (name, possible) in values.sorted(by: { $0.0 < $1.0 }) {
            let found = try read(name)
            let wanted = possible.map { words($0.map { String(decoding: $0, as: UTF8.self) }) }
            try require(
                possible.contains(found.map { Array($0.utf8) }),
                "what was reported as stored is there once the faults are over",
                saw: "\(words(found)) for “\(name)”, not \(wanted.sorted().joined(separator: " or "))"
            )
        }
    }
}
