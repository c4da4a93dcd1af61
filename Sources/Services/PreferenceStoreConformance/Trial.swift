import Conformance
import Services
import Synchronization

/// A store on trial, with its harness at hand.
struct Trial: Sendable {
    let store: any PreferenceStore
    let reopened: @Sendable () async throws -> Trial
    let crashed:
        @Sendable (Int, @escaping @Sendable (any PreferenceStore) throws -> Void) async throws -> Trial
    let breakDown: @Sendable () async throws -> Void
    let heal: @Sendable () async throws -> Void
    let takeDown: @Sendable () async -> Void

    static func make<Harness: PreferenceStoreHarness>(_ harness: Harness) async throws -> Trial {
        let store = try await byHarness { try await harness.makeStore() }
        let newest = Newest(store)
        guard isUnderFaults else { return make(of: store, newest: newest, nil, harness) }
        let ledger = NamedValueLedger()
        onceFaultsAreOver {
            // As the next program finds it, where there can be one.
            let last = newest.store.withLock(\.self)
            let found = harness.capabilities.contains(.survives) ? try await harness.reopen(last) : last
            try await trying {
                try ledger.check(words: words) { try found.value(for: $0) }
            } takingDown: {
                await harness.takeDown(found)
            }
        }
        return make(of: store, newest: newest, ledger, harness)
    }

    /// The store that was opened last, which is the one to take down.
    private final class Newest<Store: Sendable>: Sendable {
        let store: Mutex<Store>

        init(_ store: Store) { self.store = Mutex(store) }
    }

    private static func make<Harness: PreferenceStoreHarness>(
        of store: Harness.Store,
        newest: Newest<Harness.Store>,
        _ ledger: NamedValueLedger?,
        _ harness: Harness
    ) -> Trial {
        @Sendable func next(_ store: Harness.Store) -> Trial {
            newest.store.withLock { $0 = store }
            return make(of: store, newest: newest, ledger, harness)
        }
        return Trial(
            store: ledger.map { WitnessedPreferences(base: store, ledger: $0) } ?? store,
            reopened: { next(try await byHarness { try await harness.reopen(store) }) },
            crashed: { next(try await harness.crash(store, atMoment: $0, of: $1)) },
            breakDown: { try await harness.breakDown(store) },
            heal: { try await harness.heal(store) },
            // Under faults it is looked at once more before.
            takeDown: { if ledger == nil { await harness.takeDown(newest.store.withLock(\.self)) } }
        )
    }

    /// Reads something, which must succeed.
    func read(_ name: String) throws -> String? {
        try requireSuccess("“\(name)” can be read") { try store.value(for: name) }
    }

    /// Stores something, which must succeed.
    func set(_ values: [String: String?]) throws {
        try requireSuccess("values can be stored") { try store.set(values) }
    }

    /// Checks what the store holds under some names, byte for byte.
    func expect(_ values: [String: String?], _ requirement: String) throws {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let read = try read(name)
            // Strings of the same letters are equal, however they are written.
            try require(
                read.map { Array($0.utf8) } == value.map { Array($0.utf8) },
                requirement,
                saw: "\(Self.words(read)) for “\(name)”, not \(Self.words(value))"
            )
        }
    }

    private static func words(_ value: String?) -> String {
        guard let value else { return "nothing" }
        return value.count > 40 ? "\(value.utf8.count) bytes" : "“\(value)”"
    }

    /// Does what must fail, and returns the error.
    func failing(_ requirement: String, _ work: () throws -> Void) throws -> PreferenceStoreError {
        do { try work() } catch let error as PreferenceStoreError { return error }
        throw ConformanceFailure(requirement, saw: "success")
    }
}

/// A store whose changes are noted, to be looked at once the faults are over.
private struct WitnessedPreferences: PreferenceStore {
    let base: any PreferenceStore
    let ledger: NamedValueLedger

    func value(for name: String) throws(PreferenceStoreError) -> String? { try base.value(for: name) }

    func set(_ values: [String: String?]) throws(PreferenceStoreError) {
        try ledger.changing(values) { () throws(PreferenceStoreError) in try base.set(values) }
    }
}
