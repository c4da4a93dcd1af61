import Conformance
import FaultConformance
import FileSecrets
import Files
import ScenarioKit
import SecretStoreConformance
import Services
import SimulatedDisk
import Testing

/// Secrets in an encrypted file on a disk that fails.
private struct FailingDiskHarness: SecretStoreHarness {
    /// A store, which may report failed changes as made.
    struct Store: SecretStore {
        let base: FileSecretStore
        let swallowsErrors: Bool

        func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

        func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
            do { try base.set(secret, named: name) } catch { if !swallowsErrors { throw error } }
        }
    }

    let disk: SimulatedDisk
    var swallowsErrors = false
    let capabilities: Set<SecretStoreCapability> = [.changes, .survives]

    private func open() -> Store {
        let store = FileSecretStore(path: "secrets", key: .file("key"), on: SimulatedFiles(disk: disk))
        return Store(base: store, swallowsErrors: swallowsErrors)
    }

    func makeStore(holding secrets: [String: Secret]) async throws -> Store {
        let store = open()
        for (name, value) in secrets.sorted(by: { $0.key < $1.key }) {
            try store.base.set(value, named: name)
        }
        return store
    }

    func reopen(_ store: Store) async throws -> Store { open() }
}

@Suite("Secret store conformance on a disk that fails")
struct SecretFaultTests {
    private func report(_ seeds: ClosedRange<UInt64>, swallowsErrors: Bool = false) -> FaultReport {
        FaultSweep(seeds: seeds).report(SecretStoreConformance.suite) { world in
            FailingDiskHarness(disk: world.disk(of: "phone"), swallowsErrors: swallowsErrors)
        }
    }

    @Test func `whatever fails, no secret is another one, and what was kept is there afterwards`() {
        let report = report(1...20)
        #expect(report.wrongs == [], "\(report)")
        // A file that is not there is read without fail.
        #expect(report.oneSided == ["read.empty"], "\(report)")
    }

    @Test func `a store that reports failed changes as made is found out`() {
        let wrongs = report(1...20, swallowsErrors: true).wrongs
        #expect(wrongs.contains { $0.saw.contains("once the faults are over") }, "\(wrongs)")
    }
}
