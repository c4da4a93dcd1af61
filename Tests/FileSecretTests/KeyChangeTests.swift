import FileSecrets
import Foundation
import Services
import TestSupport
import Testing

@Suite("Changes of the key")
struct KeyChangeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.file("secrets") }

    private func key(_ name: String) -> FileSecretStore.Key { .file(folder.file(name)) }

    private func pass(_ text: String) -> FileSecretStore.Key { .passphrase(Secret(text), cost: .least) }

    private func filled(_ key: FileSecretStore.Key) throws -> FileSecretStore {
        let store = FileSecretStore(path: path, key: key)
        try store.set(Secret("first"), named: "a")
        try store.set(Secret("second"), named: "b")
        return store
    }

    private func expectAll(_ store: FileSecretStore) throws {
        #expect(try store.secret(named: "a")?.reveal() == "first")
        #expect(try store.secret(named: "b")?.reveal() == "second")
        #expect(try store.secret(named: "c") == nil)
    }

    @Test func `after a change of the passphrase only the new one opens the file`() throws {
        let store = try filled(pass("old"))
        try store.changeKey(to: pass("new"))
        try expectAll(store)
        try expectAll(FileSecretStore(path: path, key: pass("new")))
        #expect(throws: SecretStoreError.wrongPassphrase(path: path)) {
            try FileSecretStore(path: path, key: pass("old")).secret(named: "a")
        }
    }

    @Test func `a key file takes the place of a passphrase, and the other way`() throws {
        let store = try filled(pass("old"))
        try store.changeKey(to: key("k"))
        try expectAll(FileSecretStore(path: path, key: key("k")))
        #expect(throws: SecretStoreError.needsKeyFile(path: path)) {
            try FileSecretStore(path: path, key: pass("old")).secret(named: "a")
        }
        try store.changeKey(to: pass("new"))
        try expectAll(FileSecretStore(path: path, key: pass("new")))
    }

    @Test func `a rotated key file opens the file, and the one of before does not`() throws {
        let store = try filled(key("k"))
        let old = try Data(contentsOf: URL(filePath: folder.file("k")))
        let before = try Data(contentsOf: URL(filePath: path))
        try store.rotateKey()
        let new = try Data(contentsOf: URL(filePath: folder.file("k")))
        #expect(new.count == old.count && new != old)
        #expect(try folder.mode(of: "k") == 0o600)
        #expect(try Data(contentsOf: URL(filePath: path)) != before)
        try expectAll(FileSecretStore(path: path, key: key("k")))
        try folder.write(Array(old), to: "k")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("k"))
        #expect(throws: SecretStoreError.wrongKeyFile(path: path, keyFile: folder.file("k"))) {
            try FileSecretStore(path: path, key: key("k")).secret(named: "a")
        }
    }

    @Test func `rotating the key of a passphrase makes another key of it`() throws {
        let store = try filled(pass("old"))
        let salt = try Data(contentsOf: URL(filePath: path))[16..<32]
        try store.rotateKey()
        #expect(try Data(contentsOf: URL(filePath: path))[16..<32] != salt)
        try expectAll(FileSecretStore(path: path, key: pass("old")))
    }

    @Test(arguments: 1...15)
    func `a rotation that fails at any call loses nothing, and can be done again`(_ call: Int) throws {
        _ = try filled(key("k"))
        let store = FileSecretStore(path: path, key: key("k"), on: FailingFiles(at: call))
        #expect(throws: SecretStoreError.self) { try store.rotateKey() }
        try expectAll(store)
        try expectAll(FileSecretStore(path: path, key: key("k")))
        try store.rotateKey()
        try expectAll(FileSecretStore(path: path, key: key("k")))
        #expect(try Data(contentsOf: URL(filePath: folder.file("k"))).count == 48)
    }

    @Test func `a rotation writes three files with five calls each`() throws {
        _ = try filled(key("k"))
        let files = FailingFiles(at: 16)
        try FileSecretStore(path: path, key: key("k"), on: files).rotateKey()
        #expect(files.calls == 15)
    }

    @Test(arguments: 1...5)
    func `a change of the passphrase that fails at any call leaves a store that still opens`(_ call: Int)
        throws
    {
        _ = try filled(pass("old"))
        let store = FileSecretStore(path: path, key: pass("old"), on: FailingFiles(at: call))
        #expect(throws: SecretStoreError.self) { try store.changeKey(to: pass("new")) }
        try expectAll(store)
        let opening = [pass("old"), pass("new")].filter { key in
            (try? FileSecretStore(path: path, key: key).secret(named: "a")) != nil
        }
        #expect(opening == [call < 5 ? pass("old") : pass("new")])
        try store.set(Secret("third"), named: "a")
        #expect(try store.secret(named: "a")?.reveal() == "third")
    }

    @Test(arguments: 1...5)
    func `a change that fails at any call is an error, leaves old or new, and nothing beside`(_ call: Int)
        throws
    {
        _ = try filled(key("k"))
        let store = FileSecretStore(path: path, key: key("k"), on: FailingFiles(at: call))
        #expect(throws: SecretStoreError.self) { try store.set(Secret("changed"), named: "a") }
        let found = try FileSecretStore(path: path, key: key("k")).secret(named: "a")?.reveal()
        // Only the sync of the folder comes after the new file has its name.
        #expect(found == (call < 5 ? "first" : "changed"))
        #expect(try folder.contents().keys.sorted() == ["k", "secrets", "secrets.lock"])
    }

    @Test func `a reader between whose two files the key is changed reads once more`() throws {
        let writer = try filled(key("k"))
        let rotated = FailingFiles(beforeKey: { _ = try? writer.rotateKey() })
        try expectAll(FileSecretStore(path: path, key: key("k"), on: rotated))
    }

    @Test func `readers find every secret while the key is changed again and again`() async throws {
        let store = try filled(key("k"))
        let reader = FileSecretStore(path: path, key: key("k"))
        try await withThrowingTaskGroup { group in
            group.addTask { for _ in 0..<40 { try store.rotateKey() } }
            group.addTask { for _ in 0..<200 { try expectAll(reader) } }
            try await group.waitForAll()
        }
    }
}
