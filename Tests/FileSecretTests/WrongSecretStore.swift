import Conformance
import Foundation
import SecretStoreConformance
import Services
import Synchronization
import TestSupport

/// A store in memory that violates one requirement.
final class WrongSecretStore: SecretStore, CustomStringConvertible {
    enum Flaw: String, CaseIterable {
        /// Answers with nil when it cannot be read.
        case failureIsAbsence
        /// Finds a name in whatever case it is written.
        case ignoresCase
        /// Keeps the bytes of a file as they are.
        case plainFile
        /// Reads, then writes: what another did in between is lost.
        case losesChanges
        /// Deletes everything for one name.
        case deletesAll
        /// Shows what it holds.
        case talkative
        /// Says in an error what could not be stored.
        case errorWithValue
        /// Takes an empty secret for a deletion.
        case emptyIsAbsence
        /// Cuts blanks off secrets.
        case trimsSecrets
        /// Cuts long secrets off.
        case cutsLongSecrets
        /// Fails where there is nothing to delete.
        case refusesAbsence
        /// Keeps what is deleted.
        case deletesNothing
        /// Forgets what was read.
        case readsOnce
        /// Keeps nothing for the next program.
        case forgetsAll
        /// Changes what it holds, and says that it could not.
        case failsTooLate
    }

    private let flaw: Flaw?
    let secrets: Mutex<[String: Secret]>
    let isBroken = Mutex(false)
    /// Changes that have begun, for one that waits for another.
    private let begun = Mutex(0)

    init(_ flaw: Flaw?, _ secrets: [String: Secret]) {
        self.flaw = flaw
        self.secrets = Mutex(secrets)
    }

    private func key(_ name: String) -> String { flaw == .ignoresCase ? name.lowercased() : name }

    var description: String {
        flaw == .talkative ? "\(secrets.withLock { $0.values.map { $0.reveal() } })" : "a store"
    }

    private func stored(_ value: String) -> String? {
        switch flaw {
        case .emptyIsAbsence: value.isEmpty ? nil : value
        case .trimsSecrets: String(value.drop { $0 == " " })
        case .cutsLongSecrets: String(value.prefix(2_048))
        default: value
        }
    }

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        if isBroken.withLock({ $0 }) {
            if flaw == .failureIsAbsence { return nil }
            throw .unavailable(detail: "locked")
        }
        return secrets.withLock { all in
            defer { if flaw == .readsOnce { all[name] = nil } }
            return all[name] ?? all.first { key($0.key) == key(name) }?.value
        }
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if isBroken.withLock({ $0 }) {
            if flaw == .failsTooLate { secrets.withLock { $0[name] = secret } }
            let value = flaw == .errorWithValue ? secret?.reveal() ?? "" : ""
            throw .unavailable(detail: "locked \(value)")
        }
        if secret == nil, flaw == .deletesAll { return secrets.withLock { $0 = [:] } }
        if secret == nil, flaw == .deletesNothing { return }
        if secret == nil, flaw == .refusesAbsence, secrets.withLock({ $0[name] == nil }) {
            throw .unavailable(detail: "there is no such secret")
        }
        let secret = secret.flatMap { stored($0.reveal()) }.map { Secret($0) }
        guard flaw == .losesChanges, name.hasPrefix("name ") else {
            return secrets.withLock { $0[name] = secret }
        }
        // The third of many is forgotten, as if the one that came between had written over it.
        let number = begun.withLock { begun in
            begun += 1
            return begun
        }
        if number != 3 { secrets.withLock { $0[name] = secret } }
    }
}

struct WrongSecretHarness: SecretStoreHarness {
    let flaw: WrongSecretStore.Flaw?
    let capabilities = Set(SecretStoreCapability.allCases)

    func makeStore(holding secrets: [String: Secret]) async throws -> WrongSecretStore {
        let store = WrongSecretStore(flaw, [:])
        for (name, secret) in secrets { try store.set(secret, named: name) }
        return store
    }

    func reopen(_ store: WrongSecretStore) async throws -> WrongSecretStore {
        WrongSecretStore(flaw, flaw == .forgetsAll ? [:] : store.secrets.withLock { $0 })
    }
    func breakDown(_ store: WrongSecretStore) async throws { store.isBroken.withLock { $0 = true } }
    func heal(_ store: WrongSecretStore) async throws { store.isBroken.withLock { $0 = false } }

    func files(of store: WrongSecretStore) async throws -> [String: [UInt8]] {
        let values = store.secrets.withLock { $0.values.map { $0.reveal() } }
        return ["file": Array((flaw == .plainFile ? "\(values)" : "\(values.count)").utf8)]
    }
}
