import Crypto
import Foundation
import Services

/// The first bytes of a file of secrets, which tell how the rest can be opened; numbers are big-endian.
///
/// | bytes | what |
/// |---|---|
/// | 0..<8 | `LENSSECR` |
/// | 8..<10 | the version, 1 |
/// | 10 | the lock: 1 a key file, 2 a passphrase |
/// | 11..<14 | for a passphrase scrypt's log2 N, r and p; otherwise 0 |
/// | 14..<16 | 0 |
/// | 16..<32 | the salt, new for each key |
/// | 32..<48 | the check value of the key |
/// | 48..<60 | the nonce, new for each writing |
/// | 60..<64 | the length of the contents that follow, without their tag of 16 bytes |
/// | 64..<72 | the first bytes of the SHA-256 of all that |
///
/// The last one needs no key: it tells a damaged header from a wrong key. AES-GCM authenticates all 72 bytes with the
/// contents.
struct SecretFileHeader: Equatable {
    enum Lock: Equatable {
        case keyFile
        case passphrase(PassphraseCost)
    }

    var lock: Lock
    var salt: [UInt8]
    var check: [UInt8]
    var nonce: [UInt8]
    var length: Int

    static let magic = Array("LENSSECR".utf8)
    static let version = 1
    static let count = 72
    static let saltCount = 16
    static let checkCount = 16
    static let nonceCount = 12
    static let tagCount = 16
    private static let hashCount = 8

    /// Reads the header of a whole file.
    ///
    /// - Throws: `truncated`, `tampered`, `newerVersion`, `tooCostly`.
    init(of file: [UInt8], path: String) throws(SecretStoreError) {
        let known = min(file.count, Self.magic.count)
        guard file[..<known].elementsEqual(Self.magic[..<known]) else { throw .tampered(path: path) }
        guard file.count >= 10 else {
            throw .truncated(path: path, found: file.count, expected: Self.count + Self.tagCount)
        }
        let version = Int(file[8]) << 8 | Int(file[9])
        guard version <= Self.version else {
            throw .newerVersion(path: path, found: version, known: Self.version)
        }
        guard file.count >= Self.count else {
            throw .truncated(path: path, found: file.count, expected: Self.count + Self.tagCount)
        }
        let hashed = Self.count - Self.hashCount
        guard version == Self.version,
            file[hashed..<Self.count].elementsEqual(Self.hash(file[..<hashed]))
        else { throw .tampered(path: path) }
        length = file[60..<64].reduce(0) { $0 << 8 | Int($1) }
        guard length <= SecretFileContents.mostBytes else { throw .tampered(path: path) }
        let whole = Self.count + length + Self.tagCount
        guard file.count >= whole else {
            throw .truncated(path: path, found: file.count, expected: whole)
        }
        guard file.count == whole else { throw .tampered(path: path) }
        switch (file[10], file[11..<16].allSatisfy { $0 == 0 }, file[14] | file[15]) {
        case (1, true, _): lock = .keyFile
        case (2, _, 0):
            guard let cost = PassphraseCost(stored: file[11], file[12], file[13]) else {
                throw .tooCostly(path: path)
            }
            lock = .passphrase(cost)
        default: throw .tampered(path: path)
        }
        salt = Array(file[16..<32])
        check = Array(file[32..<48])
        nonce = Array(file[48..<60])
    }

    init(lock: Lock, salt: [UInt8], check: [UInt8], nonce: [UInt8], length: Int) {
        self.lock = lock
        self.salt = salt
        self.check = check
        self.nonce = nonce
        self.length = length
    }

    var bytes: [UInt8] {
        var bytes = Self.magic + [0, UInt8(Self.version)]
        switch lock {
        case .keyFile: bytes += [1, 0, 0, 0]
        case .passphrase(let cost): bytes += [2, cost.rounds, cost.blockSize, cost.parallelism]
        }
        bytes += [0, 0] + salt + check + nonce
        bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        return bytes + Self.hash(bytes[...])
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        Array(SHA256.hash(data: bytes).prefix(hashCount))
    }
}
