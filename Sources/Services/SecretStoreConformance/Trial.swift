import Conformance
import Services

/// A store on trial, with its harness at hand.
struct Trial: Sendable {
    let store: any SecretStore
    let reopened: @Sendable () async throws -> Trial
    let breakDown: @Sendable () async throws -> Void
    let heal: @Sendable () async throws -> Void
    let files: @Sendable () async throws -> [String: [UInt8]]

    static func make<Harness: SecretStoreHarness>(
        _ secrets: [String: Secret],
        _ harness: Harness
    ) async throws -> Trial {
        let store = try await byHarness { try await harness.makeStore(holding: secrets) }
        guard isUnderFaults else { return make(of: store, nil, harness) }
        let ledger = NamedValueLedger(secrets.mapValues { $0.reveal() })
        onceFaultsAreOver {
            // As the next program finds it, where there can be one.
            let found = harness.capabilities.contains(.survives) ? try await harness.reopen(store) : store
            // Of a secret only the length is said.
            try ledger.check(words: { $0.map { "\($0.utf8.count) bytes" } ?? "nothing" }) {
                try found.secret(named: $0)?.reveal()
            }
        }
        return make(of: store, ledger, harness)
    }

    private static func make<Harness: SecretStoreHarness>(
        of store: Harness.Store,
        _ ledger: NamedValueLedger?,
        _ harness: Harness
    ) -> Trial {
        Trial(
            store: ledger.map { WitnessedSecrets(base: store, ledger: $0) } ?? store,
            reopened: { make(of: try await byHarness { try await harness.reopen(store) }, ledger, harness) },
            breakDown: { try await harness.breakDown(store) },
            heal: { try await harness.heal(store) },
            files: { try await byHarness { try await harness.files(of: store) } }
        )
    }

    /// Reads something, which must succeed.
    func read(_ name: String) throws -> String? {
        try requireSuccess("“\(name)” can be read") { try store.secret(named: name)?.reveal() }
    }

    /// Stores something, which must succeed.
    func set(_ value: String?, _ name: String) throws {
        try requireSuccess("“\(name)” can be stored") {
            try store.set(value.map { Secret($0) }, named: name)
        }
    }

    /// Checks what the store holds under a name.
    func expect(_ value: String?, _ name: String) throws {
        let read = try read(name)
        try require(
            read == value,
            "“\(name)” is \(value.map { "the \($0.utf8.count) bytes that were stored" } ?? "absent")",
            saw: read.map { "\($0.utf8.count) other bytes" } ?? "nothing"
        )
    }

    /// Does what must fail, and returns the error.
    func failing(_ requirement: String, _ work: () throws -> Void) throws -> SecretStoreError {
        do { try work() } catch let error as SecretStoreError { return error }
        throw ConformanceFailure(requirement, saw: "success")
    }
}

/// A store whose changes are noted, to be looked at once the faults are over.
private struct WitnessedSecrets: SecretStore, CustomStringConvertible, CustomReflectable {
    let base: any SecretStore
    let ledger: NamedValueLedger

    var description: String { "\(base)" }
    var customMirror: Mirror { Mirror(reflecting: base) }

    func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try ledger.changing([name: secret?.reveal()]) { () throws(SecretStoreError) in
            try base.set(secret, named: name)
        }
    }
}
