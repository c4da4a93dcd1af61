import Conformance
import Services
import Synchronization

/// What may lie under each key, after all that a store has reported.
///
/// A change that succeeded leaves what it made; one that failed leaves what was there, or, where its error says that it may have taken effect,
/// either: now, or later, when a request that was on its way arrives.
final class ObjectLedger: Sendable {
    /// What a change makes.
    enum Made {
        case nothing
        case content(ObjectContent)
        /// What lies under another key when the change begins.
        case objectOf(ObjectKey)
    }

    /// A change that goes on.
    struct Change {
        fileprivate let key: ObjectKey
        /// Numbers of contents, 0 for nothing.
        fileprivate let made: Set<Int>
        /// Whether it can take effect: not where it needs an absent object, and there certainly is one.
        fileprivate let isPossible: Bool
        fileprivate let successes: Int
    }

    private struct Entry {
        /// What the changes that succeeded last have made.
        var settled: Set<Int> = [0]
        /// What changes that failed may have made, or may make yet.
        var unsettled: Set<Int> = []
        /// What changes that go on may make.
        var beginning: [Int] = []
        var successes = 0
        /// Whether the store takes it for a key.
        var isName = true

        var possible: Set<Int> { settled.union(unsettled).union(beginning) }
    }

    private struct State {
        var entries: [ObjectKey: Entry] = [:]
        /// From number 1 on.
        var contents: [ObjectContent] = []
    }

    private let state = Mutex(State())

    func begin(_ made: Made, at key: ObjectKey, needsAbsence: Bool = false) -> Change {
        state.withLock { state in
            var entry = state.entries[key] ?? Entry()
            let numbers: Set<Int>
            switch made {
            case .nothing: numbers = [0]
            case .content(let content):
                state.contents.append(content)
                numbers = [state.contents.count]
            case .objectOf(let source): numbers = (state.entries[source] ?? Entry()).possible.subtracting([0])
            }
            let change = Change(
                key: key,
                made: numbers,
                isPossible: !needsAbsence || entry.possible.contains(0),
                successes: entry.successes
            )
            if change.isPossible { entry.beginning += numbers.sorted() }
            state.entries[key] = entry
            return change
        }
    }

    /// Ends a change that succeeded, or failed with an error.
    func end(_ change: Change, _ error: ObjectStoreError?) {
        update(change) { entry in
            if error == nil {
                // Of two at the same time either may be the last.
                let isAlone = entry.successes == change.successes
                entry.settled = isAlone ? change.made : entry.settled.union(change.made)
                entry.successes += 1
            } else if error?.code == .invalidRequest, entry.successes == 0 {
                // A name that cannot be stored cannot be looked at.
                entry.isName = false
            } else if error?.mayHaveTakenEffect == true, change.isPossible {
                entry.unsettled.formUnion(change.made)
            }
        }
    }

    /// Ends an upload that has found an object, which may be its own.
    func found(_ change: Change) {
        update(change) { entry in
            let there = entry.possible.union(change.isPossible ? change.made : []).subtracting([0])
            entry.settled = there
        }
    }

    private func update(_ change: Change, _ work: (inout Entry) -> Void) {
        state.withLock { state in
            var entry = state.entries[change.key] ?? Entry()
            if change.isPossible {
                for number in change.made {
                    if let index = entry.beginning.firstIndex(of: number) {
                        entry.beginning.remove(at: index)
                    }
                }
            }
            work(&entry)
            state.entries[change.key] = entry
        }
    }

    /// Looks whether all is as the reports said.
    ///
    /// - Throws: `ConformanceFailure` for the first key where it is not.
    func check(_ store: any ObjectStore) async throws {
        let (entries, contents) = state.withLock { ($0.entries, $0.contents) }
        for (key, entry) in entries.sorted(by: { $0.key.path < $1.key.path }) where entry.isName {
            let found = try await requireSuccess("“\(key)” can be looked at once the faults are over") {
                var isThere = false
                for number in entry.possible.sorted() where !isThere {
                    isThere = try await store.has(number == 0 ? nil : contents[number - 1], at: key)
                }
                return isThere
            }
            if found { continue }
            let size = try await store.info(key).map { "an object of \($0.size) bytes" } ?? "nothing"
            let wanted = entry.possible.sorted().map {
                $0 == 0 ? "nothing" : "\(contents[$0 - 1].size) bytes"
            }
            throw ConformanceFailure(
                "“\(key)” is what was reported, \(wanted.joined(separator: " or ")), once the faults are over",
                saw: size
            )
        }
    }
}

extension ObjectStore {
    /// Whether a key has this content, or nothing.
    fileprivate func has(_ content: ObjectContent?, at key: ObjectKey) async throws -> Bool {
        guard let content else { return try await info(key) == nil }
        // What comes once has come.
        guard content.isRepeatable else { return try await info(key)?.size == content.size }
        return try await holds(content, at: key)
    }
}
