import AppKernel
import Conformance
import FileSecrets
import Foundation
import SecretStoreConformance
import Services
import SimulatedDevice
import TestSupport

/// Secrets in a file of the machine.
struct FileSecretHarness: SecretStoreHarness {
    /// Which kind of key locks the file.
    enum Lock: String, CaseIterable {
        case keyFile, passphrase
    }

    /// A store with its folder, which stays as long as the store.
    final class Store: SecretStore, CustomStringConvertible {
        let folder: TemporaryFolder
        let store: FileSecretStore

        init(_ lock: Lock, in folder: TemporaryFolder) {
            self.folder = folder
            let key: FileSecretStore.Key =
                switch lock {
                case .keyFile: .file(folder.file("secrets.key"))
                case .passphrase: .passphrase(Secret("correct horse"), cost: .least)
                }
            store = FileSecretStore(path: folder.file("secrets"), key: key)
        }

        var description: String {
            var text = "\(store)"
            dump(store, to: &text)
            return text
        }

        func secret(named name: String) throws(SecretStoreError) -> Secret? {
            try store.secret(named: name)
        }

        func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
            try store.set(secret, named: name)
        }
    }

    var lock = Lock.keyFile
    let capabilities = Set(SecretStoreCapability.allCases)

    func makeStore(holding secrets: [String: Secret]) async throws -> Store {
        let store = Store(lock, in: try TemporaryFolder())
        for (name, secret) in secrets { try store.set(secret, named: name) }
        return store
    }

    func reopen(_ store: Store) async throws -> Store { Store(lock, in: store.folder) }

    /// Puts folders in the places of the files, which works for every user.
    func breakDown(_ store: Store) async throws {
        for name in ["secrets", "secrets.lock"] {
            let path = store.folder.file(name)
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    func heal(_ store: Store) async throws {
        for name in ["secrets", "secrets.lock"] {
            let path = store.folder.file(name)
            guard FileManager.default.fileExists(atPath: path + ".away") else { continue }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
        }
    }

    func files(of store: Store) async throws -> [String: [UInt8]] { try store.folder.contents() }
}

/// Secrets that live as long as the process.
struct MemorySecretHarness: SecretStoreHarness {
    let capabilities: Set<SecretStoreCapability> = [.changes, .fails]

    func makeStore(holding secrets: [String: Secret]) async throws -> InMemorySecretStore {
        InMemorySecretStore(secrets)
    }

    func breakDown(_ store: InMemorySecretStore) async throws {
        store.fail(with: .unavailable(detail: "locked"))
    }

    func heal(_ store: InMemorySecretStore) async throws { store.fail(with: nil) }
}

/// Secrets in the variables of a program's environment.
struct EnvironmentSecretHarness: SecretStoreHarness {
    let capabilities: Set<SecretStoreCapability> = []

    func makeStore(holding secrets: [String: Secret]) async throws -> EnvironmentSecretStore {
        EnvironmentSecretStore(
            variables: Dictionary(uniqueKeysWithValues: secrets.keys.map { ($0, "VARIABLE \($0)") }),
            environment: Dictionary(
                uniqueKeysWithValues: secrets.map { ("VARIABLE \($0)", $1.reveal()) }
            )
        )
    }
}

extension PassphraseCost {
    /// For tests that stretch many passphrases.
    static let least = PassphraseCost(rounds: 10, blockSize: 8, parallelism: 1)
}

extension TemporaryFolder {
    /// All files, by name.
    func contents() throws -> [String: [UInt8]] {
        try FileManager.default.subpathsOfDirectory(atPath: path).reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: file(name)).map { Array($0) }
        }
    }

    /// The access rights of a file.
    func mode(of name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return try (attributes[.posixPermissions] as? NSNumber)?.intValue
            ?? { throw CocoaError(.fileReadUnknown) }()
    }
}
