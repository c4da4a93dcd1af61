import ArgumentParser
import CommandKit
import Conformance
import FileSecrets
import Foundation
import SecretStoreConformance
import Services

extension ValidateCommand {
    /// Runs the suite on files of secrets in a folder of their own, which is removed at the end.
    func secrets() async throws -> ConformanceReport {
        guard let folder else { throw CaseSkipped("no folder was given; give --folder") }
        var passphrase: Secret?
        if let passphraseFrom {
            let text = ProcessInfo.processInfo.environment[passphraseFrom] ?? ""
            if text.isEmpty { throw CaseSkipped("the environment variable \(passphraseFrom) is empty") }
            passphrase = Secret(text)
        }
        let harness = SecretHarness(
            folder: try ValidationFolder(within: folder),
            passphrase: passphrase,
            capabilities: try capabilities([.changes, .survives, .writesFiles])
        )
        let report = await SecretStoreConformance.suite.report(on: harness)
        harness.folder.remove()
        return report
    }
}

/// Secrets in files of this machine, locked with a key file or a passphrase.
private struct SecretHarness: SecretStoreHarness {
    /// A store with its folder.
    final class Store: SecretStore, CustomStringConvertible {
        let path: String
        private let base: FileSecretStore

        init(_ path: String, _ passphrase: Secret?) {
            self.path = path
            let key = passphrase.map { FileSecretStore.Key.passphrase($0) } ?? .file("\(path)/secrets.key")
            base = FileSecretStore(path: "\(path)/secrets", key: key)
        }

        var description: String { "\(base)" }

        func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

        func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
            try base.set(secret, named: name)
        }
    }

    let folder: ValidationFolder
    let passphrase: Secret?
    let capabilities: Set<SecretStoreCapability>
    var secrets: [String] { passphrase.map { [$0.reveal()] } ?? [] }

    func makeStore(holding secrets: [String: Secret]) async throws -> Store {
        let store = Store(try folder.next(), passphrase)
        for (name, secret) in secrets { try store.set(secret, named: name) }
        return store
    }

    func reopen(_ store: Store) async throws -> Store { Store(store.path, passphrase) }

    func files(of store: Store) async throws -> [String: [UInt8]] {
        try FileManager.default.subpathsOfDirectory(atPath: store.path).reduce(into: [:]) { files, name in
            files[name] = FileManager.default.contents(atPath: "\(store.path)/\(name)").map { Array($0) }
        }
    }
}
