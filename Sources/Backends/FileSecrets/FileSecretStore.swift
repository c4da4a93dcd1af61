import Crypto
public import Files
public import Services
import Synchronization

/// Secrets in one encrypted file, locked with a key file or with a passphrase.
///
/// ```
/// let store = FileSecretStore(path: folder + "/secrets", key: .file(folder + "/secrets.key"))
/// try store.set(Secret("…"), named: "gemini_api_key")
/// ```
///
/// - **What is protected.** The file is one AES-GCM message: names, values, their number and their order are neither
///   readable nor exchangeable without the key, and no part of it can be put back to what it was before. The file as a
///   whole can: who may write it can replace it by an older copy of itself, which no file can tell. Lengths can be seen.
/// - **Keys.** A key file is made when the first secret is kept, with mode 0600; one that others may use is refused.
///   Each store needs a key file of its own. A passphrase is stretched with scrypt; what it costs stands in the file, and
///   a file that asks for more than ``PassphraseCost`` allows is refused before any of it is spent.
/// - **Crashes.** A change is durable when its call returns, and after a crash in the middle the file is the old one or
///   the new one. The same holds for changes of the key. A change that throws may have been made.
/// - **Concurrent use.** Any number of threads, of stores of the same path, and of processes may read and write:
///   writers lock `<path>.lock`, which stays; readers see the file before or after a change.
///
/// Each call reads the file, so that what another process changed is seen. Nothing decrypted is kept; the key of a
/// passphrase is.
public final class FileSecretStore: SecretStore, CustomStringConvertible, CustomReflectable {
    /// What opens the file.
    public enum Key: Sendable, Hashable {
        /// A key file of that path, which is made when it is needed and there are no secrets yet.
        case file(String)
        /// A passphrase, and what a guess of it costs.
        case passphrase(Secret, cost: PassphraseCost = .standard)
    }

    private struct State {
        /// What may open the file: one key but while it is being changed.
        var keys: [Key]
        var stretched: Stretched?
    }

    /// The last key that was made of a passphrase.
    private struct Stretched {
        var passphrase: Secret
        var cost: PassphraseCost
        var salt: [UInt8]
        var key: SymmetricKey
    }

    /// A file as it was found.
    private struct Opened {
        var contents: SecretFileContents
        /// `nil` when there is no file.
        var master: MasterKey?
        var key: Key
    }

    /// The file.
    public let path: String
    private let files: any PrivateFileSystem
    private let patience: Duration
    private let state: Mutex<State>
    private let writing = Mutex(())

    /// The longest file.
    private static let mostBytes =
        SecretFileHeader.count + SecretFileContents.mostBytes + SecretFileHeader.tagCount

    /// Names a file; nothing is read or made.
    ///
    /// - Parameters:
    ///   - path: The file; its folder must exist.
    ///   - key: What opens it.
    ///   - patience: How long to wait for another process that writes.
    ///   - files: The file system on which it lies.
    public init(
        path: String,
        key: Key,
        patience: Duration = .seconds(10),
        on files: any PrivateFileSystem = SystemFiles()
    ) {
        self.path = path
        self.files = files
        self.patience = patience
        state = Mutex(State(keys: [key], stretched: nil))
    }

    /// Whether a file that begins so has secrets or keys of this store in it, which nobody should copy.
    public static func isMarked(_ beginning: some Sequence<UInt8>) -> Bool {
        let bytes = beginning.prefix(SecretFileHeader.magic.count)
        return [SecretFileHeader.magic, KeyFile.magic].contains { bytes.elementsEqual($0) }
    }

    /// Names the file.
    public var description: String { "secrets in \(path)" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }

    // MARK: Secrets

    /// Returns the secret of that name, or `nil`.
    ///
    /// - Throws: Every case of `SecretStoreError` that names a file; `unavailable`.
    public func secret(named name: String) throws(SecretStoreError) -> Secret? {
        do throws(SecretStoreError) {
            return try open().contents.secrets[name]
        } catch {
            // The key may just be changing, and who changes it holds the lock.
            guard error.isAboutKey, let opened = try? locked({ () throws(SecretStoreError) in try open() })
            else { throw error }
            return opened.contents.secrets[name]
        }
    }

    /// Stores a secret durably, replacing any of that name; `nil` deletes it.
    ///
    /// - Throws: As for reading; `invalid` for a name of no or more than 255 bytes and a value of more than 64 KiB;
    ///   `busy`; `unavailable` also when the file would be larger than 1 MiB.
    public func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        try SecretFileContents.check(secret, named: name)
        try locked { () throws(SecretStoreError) in
            var opened = try open()
            guard opened.contents.secrets[name] != secret else { return }
            opened.contents.secrets[name] = secret
            let master = if let master = opened.master { master } else { try newMaster(opened.key) }
            try write(opened.contents, with: master)
        }
    }

    // MARK: Keys

    /// Encrypts all secrets with another key; the old one opens nothing any more.
    ///
    /// A key file that is there is used with the key in it. The old key file stays where it is.
    ///
    /// - Throws: As for ``set(_:named:)``.
    public func changeKey(to new: Key) throws(SecretStoreError) {
        try locked { () throws(SecretStoreError) in
            let opened = try open()
            let master = try newMaster(new)
            // Should writing fail, nobody knows which of them the file has.
            state.withLock { $0.keys = [opened.key, new] }
            try write(opened.contents, with: master)
            state.withLock { $0.keys = [new] }
        }
    }

    /// Encrypts all secrets with a new key in the same key file, or with a new key of the same passphrase.
    ///
    /// After a crash in the middle the key file has both keys, and the next rotation removes the unused one.
    ///
    /// - Throws: As for ``set(_:named:)``.
    public func rotateKey() throws(SecretStoreError) {
        try locked { () throws(SecretStoreError) in
            let opened = try open()
            guard case .file(let place) = opened.key else {
                return try write(opened.contents, with: newMaster(opened.key))
            }
            let keyFile = KeyFile(path: place, files: files)
            let fresh = KeyFile.makeKey()
            let current = try keyFile.read().first { key in
                opened.master.map { MasterKey(key, lock: $0.lock, salt: $0.salt).check == $0.check } ?? false
            }
            if let current { try keyFile.write([fresh, current]) }
            if opened.master != nil { try write(opened.contents, with: salted(fresh, .keyFile)) }
            try keyFile.write([fresh])
        }
    }

    // MARK: Files

    /// Runs what changes files, with nobody else beside it.
    private func locked<Value>(
        _ work: () throws(SecretStoreError) -> Value
    ) throws(SecretStoreError) -> Value {
        try writing.withLock { (_) throws(SecretStoreError) in
            let lock: (any PathLock)?
            do throws(FileFailure) { lock = try files.lock("\(path).lock", patience: patience) } catch {
                throw .unavailable(detail: error.description)
            }
            guard let lock else { throw .busy(path: path) }
            defer { lock.release() }
            return try work()
        }
    }

    private func open() throws(SecretStoreError) -> Opened {
        let keys = state.withLock { $0.keys }
        let bytes: [UInt8]
        do { bytes = try files.read(path, upTo: Self.mostBytes) } catch {
            switch error.code {
            case .missing where !files.contains(path):
                return Opened(contents: SecretFileContents(), master: nil, key: keys[0])
            case .tooLarge: throw .tampered(path: path)
            default: throw .unavailable(detail: error.description)
            }
        }
        let header = try SecretFileHeader(of: bytes, path: path)
        var failure: SecretStoreError?
        for key in keys {
            do throws(SecretStoreError) {
                let master = try master(key, header)
                return Opened(
                    contents: try master.opened(bytes, header, path: path),
                    master: master,
                    key: key
                )
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? .tampered(path: path)
    }

    private func write(
        _ contents: SecretFileContents,
        with master: MasterKey
    ) throws(SecretStoreError) {
        let bytes = try master.sealed(contents, path: path)
        do { try files.replacePrivately(path, with: bytes) } catch {
            throw .unavailable(detail: error.description)
        }
    }

    // MARK: Master keys

    /// The key that opens a file with that header.
    private func master(_ key: Key, _ header: SecretFileHeader) throws(SecretStoreError) -> MasterKey {
        switch (key, header.lock) {
        case (.file, .passphrase): throw .needsPassphrase(path: path)
        case (.passphrase, .keyFile): throw .needsKeyFile(path: path)
        case (.file(let place), .keyFile):
            let keys = try KeyFile(path: place, files: files).read()
            guard !keys.isEmpty else { throw .missingKeyFile(path: path, keyFile: place) }
            let masters = keys.map { MasterKey($0, lock: header.lock, salt: header.salt) }
            guard let master = masters.first(where: { $0.opens(header) }) else {
                throw .wrongKeyFile(path: path, keyFile: place)
            }
            return master
        case (.passphrase(let passphrase, _), .passphrase(let cost)):
            let key = try stretched(passphrase, salt: header.salt, cost)
            let master = MasterKey(key, lock: header.lock, salt: header.salt)
            guard master.opens(header) else { throw .wrongPassphrase(path: path) }
            return master
        }
    }

    /// A key for a file that is written with it for the first time.
    private func newMaster(_ key: Key) throws(SecretStoreError) -> MasterKey {
        switch key {
        case .file(let place):
            let keyFile = KeyFile(path: place, files: files)
            if let key = try keyFile.read().first { return salted(key, .keyFile) }
            let key = KeyFile.makeKey()
            try keyFile.write([key])
            return salted(key, .keyFile)
        case .passphrase(let passphrase, let cost):
            guard !passphrase.reveal().isEmpty else {
                throw .unavailable(detail: "the passphrase is empty. Choose one.")
            }
            let salt = MasterKey.random(SecretFileHeader.saltCount)
            let key = try stretched(passphrase, salt: salt, cost)
            return MasterKey(key, lock: .passphrase(cost), salt: salt)
        }
    }

    private func salted(_ key: SymmetricKey, _ lock: SecretFileHeader.Lock) -> MasterKey {
        MasterKey(key, lock: lock, salt: MasterKey.random(SecretFileHeader.saltCount))
    }

    private func stretched(
        _ passphrase: Secret,
        salt: [UInt8],
        _ cost: PassphraseCost
    ) throws(SecretStoreError) -> SymmetricKey {
        let known = state.withLock { $0.stretched }
        if let known, known.passphrase == passphrase, known.salt == salt, known.cost == cost {
            return known.key
        }
        // An empty one would be refused by scrypt itself, in other words.
        guard !passphrase.reveal().isEmpty else { throw .wrongPassphrase(path: path) }
        let key = try MasterKey.stretched(passphrase, salt: salt, cost: cost)
        state.withLock {
            $0.stretched = Stretched(passphrase: passphrase, cost: cost, salt: salt, key: key)
        }
        return key
    }
}

extension SecretStoreError {
    /// Whether another key would help.
    fileprivate var isAboutKey: Bool {
        switch self {
        case .wrongKeyFile, .wrongPassphrase, .needsKeyFile, .needsPassphrase: true
        default: false
        }
    }
}
