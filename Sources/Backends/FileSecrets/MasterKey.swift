import Crypto
import CryptoExtras
import Foundation
import Services

/// What a file of secrets is encrypted with: 256 bits from a key file or a passphrase, and a salt.
struct MasterKey {
    let lock: SecretFileHeader.Lock
    let salt: [UInt8]
    /// Tells in a header which key opens the file.
    let check: [UInt8]
    private let encryption: SymmetricKey

    /// Bytes of a key.
    static let count = 32

    init(_ key: SymmetricKey, lock: SecretFileHeader.Lock, salt: [UInt8]) {
        self.lock = lock
        self.salt = salt
        func derived(_ purpose: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: key,
                salt: salt,
                info: Array("LensSim secrets 1, \(purpose)".utf8),
                outputByteCount: count
            )
        }
        encryption = derived("encryption", Self.count)
        check = unsafe derived("check", SecretFileHeader.checkCount).withUnsafeBytes { unsafe Array($0) }
    }

    /// Makes a key of a passphrase, which takes as long and as much memory as it costs.
    static func stretched(
        _ passphrase: Secret,
        salt: [UInt8],
        cost: PassphraseCost
    ) throws(SecretStoreError) -> SymmetricKey {
        do {
            return try KDF.Scrypt.deriveKey(
                from: Array(passphrase.reveal().utf8),
                salt: salt,
                outputByteCount: count,
                rounds: 1 << Int(cost.rounds),
                blockSize: Int(cost.blockSize),
                parallelism: Int(cost.parallelism)
            )
        } catch {
            throw .unavailable(detail: "there is no memory for the passphrase, \(cost.memory >> 20) MiB")
        }
    }

    /// Whether it opens a file that begins so.
    func opens(_ header: SecretFileHeader) -> Bool {
        // Compared in constant time.
        SymmetricKey(data: check) == SymmetricKey(data: header.check)
    }

    /// Encrypts contents: a whole file.
    func sealed(_ contents: SecretFileContents, path: String) throws(SecretStoreError) -> [UInt8] {
        let plain = contents.bytes
        guard plain.count <= SecretFileContents.mostBytes else {
            throw .unavailable(
                detail: "\(path) holds at most \(SecretFileContents.mostBytes) bytes of secrets. Remove some."
            )
        }
        // With one key a nonce must never come twice; drawn by chance, 2^32 writings are safe (NIST SP 800-38D, 8.3).
        let header = SecretFileHeader(
            lock: lock,
            salt: salt,
            check: check,
            nonce: Self.random(SecretFileHeader.nonceCount),
            length: plain.count
        ).bytes
        do {
            let nonce = try AES.GCM.Nonce(data: header[48..<60])
            let box = try AES.GCM.seal(plain, using: encryption, nonce: nonce, authenticating: header)
            return header + box.ciphertext + box.tag
        } catch {
            throw .unavailable(detail: "the secrets could not be encrypted: \(error)")
        }
    }

    /// Decrypts a whole file.
    ///
    /// - Throws: `tampered` when anything in it is not as it was written.
    func opened(
        _ file: [UInt8],
        _ header: SecretFileHeader,
        path: String
    ) throws(SecretStoreError) -> SecretFileContents {
        let end = file.count - SecretFileHeader.tagCount
        let plain: Data
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: header.nonce),
                ciphertext: file[SecretFileHeader.count..<end],
                tag: file[end...]
            )
            plain = try AES.GCM.open(
                box,
                using: encryption,
                authenticating: file[..<SecretFileHeader.count]
            )
        } catch {
            throw .tampered(path: path)
        }
        guard let contents = SecretFileContents(Array(plain)) else { throw .tampered(path: path) }
        return contents
    }

    /// Bytes from the system's generator for keys, which a simulation answers from its seed.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
