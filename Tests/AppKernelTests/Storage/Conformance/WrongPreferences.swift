import Conformance
import PreferenceStoreConformance
import Services
import Synchronization

/// A store of settings in memory, which violates one requirement, or none.
final class WrongPreferences: PreferenceStore {
    enum Flaw: String, CaseIterable {
        /// Begins with a value of its own.
        case beginsFull
        /// Finds a name in whatever case it is written.
        case ignoresCase
        /// Finds a name with blanks around it.
        case trimsNames
        /// Takes an empty value for a deletion.
        case emptyIsAbsence
        /// Cuts blanks off values.
        case trimsValues
        /// Ends values at a zero.
        case endsAtZero
        /// Writes letters in another way.
        case composesLetters
        /// Has room for 64 KiB.
        case cutsLongValues
        /// Has room for 500 values.
        case keepsFew
        /// Forgets what was read.
        case readsOnce
        /// Keeps what is deleted.
        case deletesNothing
        /// Deletes everything for one name.
        case deletesAll
        /// Fails where there is nothing to delete.
        case refusesAbsence
        /// Takes the values of a call for all that there are.
        case replacesAll
        /// Stores the first of several values.
        case storesOne
        /// Fails where there is nothing to store.
        case refusesNothing
        /// Loses a change that comes between reading and writing of another.
        case losesChanges
        /// Stores values one after the other, and others come in between.
        case mixesChanges
        /// Keeps nothing for the next program.
        case forgetsAll
        /// Has what was deleted again in the next program.
        case bringsBack
        /// Has a part of a change when the program ends in the middle of it.
        case endsInTheMiddle
        /// Confirms what is not kept yet.
        case confirmsEarly
        /// Answers with nil when it cannot be read.
        case failureIsAbsence
        /// Says nothing when a change fails.
        case failsInSilence
        /// Has stored a part of a change that fails.
        case failsInTheMiddle
        /// Says nothing in its errors.
        case wordless
    }

    /// What survives a program.
    struct Kept: Sendable {
        var values: [String: String] = [:]
        /// Values before the last change, for one that confirms early.
        var before: [String: String] = [:]
        var deleted: [String: String] = [:]
    }

    private let flaw: Flaw?
    let kept: Mutex<Kept>
    let isBroken = Mutex(false)
    /// Changes until the program ends; `nil` where it does not.
    let changesLeft = Mutex<Int?>(nil)
    private let begun = Mutex(0)

    init(_ flaw: Flaw?, _ kept: Kept = Kept()) {
        self.flaw = flaw
        self.kept = Mutex(kept)
    }

    private var failure: PreferenceStoreError {
        PreferenceStoreError(detail: flaw == .wordless ? "" : "the disk is broken")
    }

    private func key(_ name: String) -> String {
        switch flaw {
        case .ignoresCase: name.lowercased()
        case .trimsNames: name.filter { $0 != " " }
        default: name
        }
    }

    func value(for name: String) throws(PreferenceStoreError) -> String? {
        if isBroken.withLock({ $0 }) {
            if flaw == .failureIsAbsence { return nil }
            throw failure
        }
        return kept.withLock { kept in
            let value = kept.values[name] ?? kept.values.first { key($0.key) == key(name) }?.value
            if flaw == .readsOnce { kept.values[name] = nil }
            return value
        }
    }

    func set(_ values: [String: String?]) throws(PreferenceStoreError) {
        let parts = values.sorted { $0.key < $1.key }
        if isBroken.withLock({ $0 }) {
            if flaw == .failsInTheMiddle, let first = parts.first { store([first]) }
            if flaw == .failsInSilence { return }
            throw failure
        }
        if flaw == .refusesNothing, parts.isEmpty { throw failure }
        if flaw == .refusesAbsence,
            kept.withLock({ kept in parts.contains { $0.value == nil && kept.values[$0.key] == nil } })
        {
            throw failure
        }
        let isLast = changesLeft.withLock { left in
            left = left.map { $0 - 1 }
            return left == 0
        }
        if isLast {
            // The power goes in the middle of it.
            if flaw == .endsInTheMiddle { store(Array(parts.prefix(2))) }
            if flaw == .confirmsEarly { kept.withLock { $0.values = $0.before } }
            isBroken.withLock { $0 = true }
            throw failure
        }
        kept.withLock { $0.before = $0.values }
        store(flaw == .storesOne ? Array(parts.prefix(1)) : parts)
    }

    private func store(_ parts: [(key: String, value: String?)]) {
        let number = begun.withLock { begun in
            begun += 1
            return begun
        }
        // As if the one that came between had written over it.
        if flaw == .losesChanges, parts.first?.key.hasPrefix("name ") == true, parts.count == 1,
            5...6 ~= number
        {
            return
        }
        // As if another had stored its last values in between.
        let isMixed = flaw == .mixesChanges && parts.count == 8 && number > 1
        kept.withLock { kept in
            if flaw == .replacesAll { kept.values = [:] }
            for (name, value) in isMixed ? Array(parts.dropLast(4)) : parts {
                if let value {
                    kept.values[name] = stored(value)
                } else {
                    kept.deleted[name] = kept.values[name]
                    if flaw != .deletesNothing { kept.values[name] = nil }
                    if flaw == .deletesAll { kept.values = [:] }
                }
            }
            if flaw == .keepsFew {
                for name in kept.values.keys.sorted().dropFirst(500) { kept.values[name] = nil }
            }
        }
    }

    private func stored(_ value: String) -> String? {
        switch flaw {
        case .emptyIsAbsence: value.isEmpty ? nil : value
        case .trimsValues: String(value.drop { $0 == " " })
        case .endsAtZero: String(value.prefix { $0 != "\0" })
        case .composesLetters: value == "Gr\u{FC}\u{DF}e" ? "Gr\u{FC}\u{DF}e" : value
        case .cutsLongValues: String(value.prefix(65_536))
        default: value
        }
    }

    /// What the next program finds.
    func next() -> WrongPreferences {
        var kept = kept.withLock { $0 }
        if flaw == .forgetsAll { kept.values = [:] }
        if flaw == .bringsBack { kept.values.merge(kept.deleted) { value, _ in value } }
        return WrongPreferences(flaw, kept)
    }
}

struct WrongPreferencesHarness: PreferenceStoreHarness {
    let flaw: WrongPreferences.Flaw?
    let capabilities = Set(PreferenceStoreCapability.allCases)

    func makeStore() async throws -> WrongPreferences {
        WrongPreferences(flaw, .init(values: flaw == .beginsFull ? ["absent": "standard"] : [:]))
    }
    func reopen(_ store: WrongPreferences) async throws -> WrongPreferences { store.next() }

    func crash(
        _ store: WrongPreferences,
        atMoment moment: Int,
        of changes: @escaping @Sendable (any PreferenceStore) throws -> Void
    ) async throws -> WrongPreferences {
        store.changesLeft.withLock { $0 = moment % 6 + 1 }
        try? changes(store)
        return store.next()
    }

    func breakDown(_ store: WrongPreferences) async throws { store.isBroken.withLock { $0 = true } }
    func heal(_ store: WrongPreferences) async throws { store.isBroken.withLock { $0 = false } }
}
