import AppKernel
import FileSecrets
import ScenarioKit
import Services
import SimulatedDisk
import Simulation
import Testing

@Suite("Secrets under power cuts")
struct SecretPowerCutTests {
    private enum Lock: CaseIterable {
        case keyFile, passphrase

        var key: FileSecretStore.Key {
            self == .keyFile ? .file("secrets.key") : .passphrase(Secret("pass"), cost: .least)
        }
    }

    private typealias Change = (effect: [String: String], work: (FileSecretStore) throws -> Void)

    private static let names = ["a", "b", "c"]

    private static func read(_ files: SimulatedFiles, _ lock: Lock) throws -> [String: String] {
        let store = FileSecretStore(path: "secrets", key: lock.key, on: files)
        return try names.reduce(into: [:]) { $0[$1] = try store.secret(named: $1)?.reveal() }
    }

    /// Changes of every kind, each with what the store holds after it.
    private static var changes: [Change] {
        [
            (["a": "1"], { try $0.set(Secret("1"), named: "a") }),
            (["a": "1", "b": "2"], { try $0.set(Secret("2"), named: "b") }),
            (["a": "1", "b": "2"], { try $0.rotateKey() }),
            (["a": "one", "b": "2"], { try $0.set(Secret("one"), named: "a") }),
            (["a": "one"], { try $0.set(nil, named: "b") }),
            (["a": "one"], { try $0.rotateKey() }),
            (["a": "one", "c": "3"], { try $0.set(Secret("3"), named: "c") }),
        ]
    }

    /// Changes of the disk that all of the work takes at most.
    private static let moments: ClosedRange<UInt64> = 1...65

    /// Cuts the power at one change of the disk, and returns whether it was before the last change was done.
    private static func cut(_ lock: Lock, at moment: UInt64, ignoringSyncs: Bool = false) throws -> Bool {
        // What is lost differs from one moment to the next, too.
        try Simulation(seed: moment).run {
            let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
            disk.conditions = .losingUnsyncedWrites
            disk.conditions[.lostEntry] = 0.7
            if ignoringSyncs { disk.conditions[.ignoredSync] = 1 }
            let files = SimulatedFiles(disk: disk)
            disk.powerOff(atChange: moment)
            let store = FileSecretStore(path: "secrets", key: lock.key, on: files)
            var (done, begun): ([String: String], [String: String]) = ([:], [:])
            var wasCut = false
            for change in changes where !wasCut {
                begun = change.effect
                do {
                    try change.work(store)
                    done = begun
                } catch is SecretStoreError {
                    wasCut = true
                }
            }
            disk.keepPower()
            disk.powerOff()
            disk.node.restart()
            let found = try read(files, lock)
            guard found == done || found == begun else { throw Mixed(found: found) }
            // And it goes on: whatever the cut has left hinders nothing.
            let reopened = FileSecretStore(path: "secrets", key: lock.key, on: files)
            try reopened.set(Secret("next"), named: "a")
            try reopened.rotateKey()
            guard try read(files, lock)["a"] == "next" else { throw Mixed(found: found) }
            return wasCut
        }
    }

    private struct Mixed: Error { var found: [String: String] }

    @Test(arguments: [true, false])
    func `after a power cut at any moment the file has the old secrets or the new ones, and opens`(
        _ withKeyFile: Bool
    ) throws {
        let cuts = try Self.moments.filter { moment in
            try Self.cut(withKeyFile ? .keyFile : .passphrase, at: moment)
        }
        #expect(cuts.count > 30, "the power is cut in the middle of a change")
        #expect(!cuts.contains(Self.moments.upperBound), "there are moments behind the last change")
    }

    @Test func `with a disk that ignores syncs, changes are lost`() {
        let lost = Self.moments.filter { (try? Self.cut(.keyFile, at: $0, ignoringSyncs: true)) == nil }
        #expect(lost.count > 10, "the check notices what a disk forgets")
    }

    @Test func `in a simulation keys and nonces come from the seed`() throws {
        func bytes(_ seed: UInt64) throws -> [UInt8] {
            try Simulation(seed: seed).run {
                let disk = SimulatedDisk(node: try #require(Simulation.current).node("phone"))
                let files = SimulatedFiles(disk: disk)
                let store = FileSecretStore(path: "secrets", key: .file("secrets.key"), on: files)
                try store.set(Secret("value"), named: "a")
                return try disk.read("secrets") + disk.read("secrets.key")
            }
        }
        #expect(try bytes(1) == bytes(1))
        #expect(try bytes(1) != bytes(2))
    }
}
