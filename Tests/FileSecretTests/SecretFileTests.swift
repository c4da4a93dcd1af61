import AppKernel
import Crypto
import FileSecrets
import Files
import Foundation
import Services
import TestSupport
import Testing

@Suite("Files of secrets")
struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.file("secrets") }
    private var keyFile: String { folder.file("secrets.key") }
    private var bytes: [UInt8] { get throws { Array(try Data(contentsOf: URL(filePath: path))) } }

    private func store() -> FileSecretStore { FileSecretStore(path: path, key: .file(keyFile)) }

    private func store(_ passphrase: String) -> FileSecretStore {
        FileSecretStore(path: path, key: .passphrase(Secret(passphrase), cost: .least))
    }

    private func error(_ work: () throws -> Void) -> SecretStoreError? {
        #expect(throws: SecretStoreError.self, performing: work)
    }

    /// Corrects the header's hash, which needs no key: what a hostile file would do.
    private func rehashed(_ bytes: [UInt8]) -> [UInt8] {
        Array(bytes[..<64] + SHA256.hash(data: bytes[..<64]).prefix(8) + bytes[72...])
    }

    @Test(
        "LENS-203 secrets are saved, read, overwritten and deleted, a missing one is nil, files have mode 0600, and damage or a wrong key is a typed error"
    )
    func whole() throws {
        let store = store()
        #expect(try store.secret(named: "a") == nil)
        try store.set(Secret("first"), named: "a")
        try store.set(Secret("other"), named: "b")
        #expect(try store.secret(named: "a")?.reveal() == "first")
        try store.set(Secret("second"), named: "a")
        #expect(try self.store().secret(named: "a")?.reveal() == "second")
        try store.set(nil, named: "a")
        #expect(try self.store().secret(named: "a") == nil)
        #expect(try self.store().secret(named: "b")?.reveal() == "other")

        let names = try folder.contents().keys.sorted()
        #expect(names == ["secrets", "secrets.key", "secrets.lock"])
        for name in names { #expect(try folder.mode(of: name) == 0o600, "\(name)") }

        let whole = try bytes
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1
            try folder.write(changed, to: "secrets")
            let error = error { _ = try store.secret(named: "b") }
            // The lower half of the version is 0 then, the upper half 256.
            #expect(
                error
                    == (index == 8 ? .newerVersion(path: path, found: 257, known: 1) : .tampered(path: path))
            )
        }
        try folder.write(whole, to: "secrets")
        try FileManager.default.moveItem(atPath: keyFile, toPath: keyFile + ".old")
        let other = FileSecretStore(path: folder.file("others"), key: .file(keyFile))
        try other.set(Secret("x"), named: "x")
        #expect(
            error { _ = try store.secret(named: "b") } == .wrongKeyFile(path: path, keyFile: keyFile)
        )
        #expect(error { try store.set(nil, named: "b") } == .wrongKeyFile(path: path, keyFile: keyFile))
        #expect(try bytes == whole)
    }

    @Test func `a passphrase opens the file, and another one is an error that says so`() throws {
        try store("correct horse").set(Secret("value"), named: "a")
        #expect(try store("correct horse").secret(named: "a")?.reveal() == "value")
        for wrong in ["", "correct horse ", "Correct horse"] {
            #expect(error { _ = try store(wrong).secret(named: "a") } == .wrongPassphrase(path: path))
        }
        #expect(error { _ = try store().secret(named: "a") } == .needsPassphrase(path: path))
        #expect(error { try store("").set(nil, named: "a") } == .wrongPassphrase(path: path))
    }

    @Test func `a file that a key file locks needs no passphrase`() throws {
        try store().set(Secret("value"), named: "a")
        #expect(error { _ = try store("x").secret(named: "a") } == .needsKeyFile(path: path))
    }

    @Test func `no file is made with an empty passphrase`() throws {
        guard case .unavailable(let detail)? = error({ try store("").set(Secret("v"), named: "a") }) else {
            Issue.record("it is unavailable")
            return
        }
        #expect(detail.contains("empty"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a file that is cut short anywhere is truncated`() throws {
        try store().set(Secret("value"), named: "a")
        let whole = try bytes
        for count in whole.indices {
            try folder.write(Array(whole[..<count]), to: "secrets")
            let expected = count < 72 ? 88 : whole.count
            #expect(
                error { _ = try store().secret(named: "a") }
                    == .truncated(path: path, found: count, expected: expected)
            )
        }
        try folder.write(whole + [0], to: "secrets")
        #expect(error { _ = try store().secret(named: "a") } == .tampered(path: path))
        try folder.write(Array("something else, and long enough to be a file".utf8), to: "secrets")
        #expect(error { _ = try store().secret(named: "a") } == .tampered(path: path))
    }

    @Test func `a file of a newer version asks for the newer program`() throws {
        try store().set(Secret("value"), named: "a")
        var newer = try bytes
        newer[9] = 2
        try folder.write(newer, to: "secrets")
        let error = error { try store().set(Secret("x"), named: "a") }
        #expect(error == .newerVersion(path: path, found: 2, known: 1))
        #expect(error?.description.contains("newer program") == true)
        #expect(try bytes == newer)
    }

    @Test(
        arguments: [(20, 8, 1), (17, 255, 255), (255, 8, 1), (9, 255, 1), (12, 0, 1), (12, 8, 0)]
            as [(UInt8, UInt8, UInt8)]
    )
    func `a hostile file cannot make the passphrase cost more than is allowed`(
        _ rounds: UInt8,
        _ blockSize: UInt8,
        _ parallelism: UInt8
    ) throws {
        try store("pass").set(Secret("value"), named: "a")
        var hostile = try bytes
        hostile[11..<14] = [rounds, blockSize, parallelism]
        try folder.write(rehashed(hostile), to: "secrets")
        #expect(error { _ = try store("pass").secret(named: "a") } == .tooCostly(path: path))
    }

    @Test func `what costs a passphrase is kept with the file`() throws {
        let cost = PassphraseCost(rounds: 11, blockSize: 4, parallelism: 2)
        let dear = FileSecretStore(path: path, key: .passphrase(Secret("pass"), cost: cost))
        try dear.set(Secret("value"), named: "a")
        #expect(try Array(bytes[10..<14]) == [2, 11, 4, 2])
        try store("pass").set(Secret("other"), named: "b")
        #expect(try Array(bytes[10..<14]) == [2, 11, 4, 2])
        #expect(try dear.secret(named: "b")?.reveal() == "other")
        #expect(PassphraseCost.standard.memory == 128 << 20)
    }

    @Test func `a header with a right hash and a wrong salt, check, nonce or length opens nothing`() throws {
        try store("pass").set(Secret("value"), named: "a")
        let whole = try bytes
        for index in 10..<64 {
            var changed = whole
            changed[index] ^= 1
            try folder.write(rehashed(changed), to: "secrets")
            let error = error { _ = try store("pass").secret(named: "a") }
            let allowed: [SecretStoreError] = [
                .tampered(path: path), .wrongPassphrase(path: path), .needsKeyFile(path: path),
                .tooCostly(path: path),
                .truncated(path: path, found: whole.count, expected: whole.count + 1),
            ]
            let isLength = (60..<64).contains(index)
            if case .truncated(_, _, _)? = error, isLength { continue }
            #expect(error.map(allowed.contains) == true, "\(index): \(String(describing: error))")
        }
    }

    @Test func `no part of a file can be put back to what it was, or under another name`() throws {
        let store = store()
        try store.set(Secret("the-first-value"), named: "a")
        try store.set(Secret("the-other-value"), named: "b")
        let older = try bytes
        try store.set(Secret("the-third-value"), named: "a")
        let newer = try bytes
        #expect(older.count == newer.count)
        for start in 0..<newer.count {
            for end in [start + 16, start + 32, newer.count] where end <= newer.count && start > 0 {
                var mixed = newer
                mixed.replaceSubrange(start..<end, with: older[start..<end])
                // Nobody can tell that the whole file is an older one.
                guard mixed != newer, mixed != older else { continue }
                try folder.write(mixed, to: "secrets")
                #expect(error { _ = try store.secret(named: "a") } == .tampered(path: path))
            }
        }
        // The ciphertexts of the two values, exchanged with each other.
        let first = 72 + 4 + 4 + 1 + 4
        let second = first + 15 + 4 + 1 + 4
        var exchanged = newer
        exchanged.replaceSubrange(first..<first + 15, with: newer[second..<second + 15])
        exchanged.replaceSubrange(second..<second + 15, with: newer[first..<first + 15])
        try folder.write(exchanged, to: "secrets")
        #expect(error { _ = try store.secret(named: "a") } == .tampered(path: path))
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `a file that was mutated at random is an error that names it, and nothing else`(_ seed: UInt64)
        throws
    {
        var generator = SeededGenerator(seed: seed)
        try store().set(Secret("value"), named: "a")
        let whole = try bytes
        for _ in 0..<500 {
            var mutated = whole
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0...mutated.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0 where index < mutated.count: mutated[index] = .random(in: 0...255, using: &generator)
                case 1: mutated.insert(.random(in: 0...255, using: &generator), at: index)
                case 2 where index < mutated.count: mutated.remove(at: index)
                default: mutated = Array(mutated[..<index])
                }
            }
            if Bool.random(using: &generator), mutated.count > 72 { mutated = rehashed(mutated) }
            guard mutated != whole else { continue }
            try folder.write(mutated, to: "secrets")
            let error = error { _ = try store().secret(named: "a") }
            #expect(error?.description.contains(path) == true, "\(String(describing: error))")
        }
    }

    @Test func `a key file that others may use is refused, to read and to write`() throws {
        try store().set(Secret("value"), named: "a")
        for mode in [0o640, 0o604, 0o620, 0o602, 0o610] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: keyFile)
            let error = error { _ = try store().secret(named: "a") }
            #expect(error == .exposedKeyFile(keyFile: keyFile))
            #expect(error?.description.contains("chmod 600") == true)
            #expect(self.error { try store().set(nil, named: "a") } == .exposedKeyFile(keyFile: keyFile))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: keyFile)
        #expect(try store().secret(named: "a")?.reveal() == "value")
    }

    @Test func `a key file that is missing or damaged is never made again while there are secrets`() throws {
        try store().set(Secret("value"), named: "a")
        let key = try Data(contentsOf: URL(filePath: keyFile))
        try FileManager.default.removeItem(atPath: keyFile)
        let missing = SecretStoreError.missingKeyFile(path: path, keyFile: keyFile)
        #expect(error { _ = try store().secret(named: "a") } == missing)
        #expect(error { try store().set(Secret("b"), named: "b") } == missing)
        #expect(!FileManager.default.fileExists(atPath: keyFile))
        for damaged in [key.dropLast(), Data(), key + [0], Data(key.reversed()), Data(count: 5_000)] {
            try damaged.write(to: URL(filePath: keyFile))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keyFile)
            #expect(error { _ = try store().secret(named: "a") } == .damagedKeyFile(keyFile: keyFile))
        }
        #expect(try Data(contentsOf: URL(filePath: keyFile)).count == 5_000)
    }

    @Test func `what cannot be kept is refused before anything is written`() throws {
        let store = store()
        let long = Secret(String(repeating: "x", count: (64 << 10) + 1))
        for (secret, name) in [
            (Secret("v"), ""), (Secret("v"), String(repeating: "n", count: 256)), (long, "a"),
        ] {
            guard case .invalid(let refused, _)? = error({ try store.set(secret, named: name) }) else {
                Issue.record("\(name.count) is invalid")
                continue
            }
            #expect(refused == name)
        }
        #expect(try folder.contents().isEmpty)
        try store.set(nil, named: "absent")
        #expect(try folder.contents().keys.sorted() == ["secrets.lock"])
        let large = Secret(String(repeating: "x", count: 64 << 10))
        for number in 0..<15 { try store.set(large, named: "\(number)") }
        guard case .unavailable? = error({ try store.set(large, named: "one more") }) else {
            Issue.record("more than 1 MiB is kept")
            return
        }
        #expect(try self.store().secret(named: "14") == large)
    }

    @Test func `no error, description or reflection of a store has a passphrase or a secret in it`() throws {
        let store = store("correct horse")
        try store.set(Secret("the-value"), named: "a")
        _ = try store.secret(named: "a")
        var texts = ["\(store)", String(reflecting: store)]
        var dumped = ""
        dump(store, to: &dumped)
        dump(FileSecretStore.Key.passphrase(Secret("correct horse")), to: &dumped)
        texts.append(dumped)
        texts.append("\(FileSecretStore.Key.passphrase(Secret("correct horse")))")
        texts += [self.store("wrong horse")].compactMap { store in
            error { _ = try store.secret(named: "a") }.map { "\($0)" + String(reflecting: $0) }
        }
        for text in texts { #expect(!text.contains("horse") && !text.contains("the-value"), "\(text)") }
        #expect(texts[0].contains(path))
    }

    @Test func `files of secrets and of keys are recognised by their first bytes, whatever they are called`()
        throws
    {
        try store().set(Secret("value"), named: "a")
        #expect(try FileSecretStore.isMarked(bytes))
        #expect(FileSecretStore.isMarked(try Data(contentsOf: URL(filePath: keyFile))))
        #expect(!FileSecretStore.isMarked(Array("SQLite format 3\0".utf8)))
        #expect(!FileSecretStore.isMarked([]))
    }

    @Test func `changes by many threads and several stores of one file are all kept`() async throws {
        let stores = (0..<3).map { _ in store() }
        try await withThrowingTaskGroup { group in
            for number in 0..<30 {
                group.addTask {
                    try stores[number % 3].set(Secret("value \(number)"), named: "name \(number)")
                    #expect(try stores[(number + 1) % 3].secret(named: "name \(number)") != nil)
                }
            }
            try await group.waitForAll()
        }
        for number in 0..<30 {
            #expect(try store().secret(named: "name \(number)")?.reveal() == "value \(number)")
        }
    }

    @Test func `a lock that is not released is an error after a while, and readers need none`() throws {
        try store().set(Secret("value"), named: "a")
        let holder = try SystemFilesHolder(path: path + ".lock")
        let hasty = FileSecretStore(path: path, key: .file(keyFile), patience: .zero)
        #expect(error { try hasty.set(Secret("b"), named: "a") } == .busy(path: path))
        #expect(try hasty.secret(named: "a")?.reveal() == "value")
        holder.lock.release()
        try hasty.set(Secret("b"), named: "a")
    }
}
