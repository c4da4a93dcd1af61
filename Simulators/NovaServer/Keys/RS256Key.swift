import Crypto
import CryptoExtras
import Foundation
import PeerKit

/// A key pair for RS256: RSA with PKCS #1 v1.5 over SHA-256, of 2048 bits.
///
/// Source: RFC 7518 section 3.3.
public struct RS256Key: Sendable, CustomStringConvertible {
    private enum Private: Sendable {
        case repeatable(RepeatableRSAKey)
        case drawn(_RSA.Signing.PrivateKey)
    }

    /// The public half.
    let publicKey: RS256PublicKey
    private let key: Private

    /// One of the keys that everybody knows; there are three, and a number past the last begins again with the first.
    ///
    /// They sign without random numbers, so that a simulation runs the same each time.
    public static func simulated(_ number: Int) -> RS256Key { simulatedKeys[number % simulatedKeys.count] }

    /// Read and checked once, since each costs about a millisecond.
    private static let simulatedKeys: [RS256Key] = RepeatableRSAKey.all.map { key in
        do {
            return try RS256Key(key: .repeatable(key), modulus: key.modulus, exponent: [1, 0, 1])
        } catch { preconditionFailure("a constant key is not one: \(error)") }
    }

    /// A key of one run, which nobody can guess; drawing it takes some tenths of a second.
    ///
    /// - Throws: What the library throws; none is expected.
    public static func drawn() throws -> RS256Key {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let parts = try key.publicKey.getKeyPrimitives()
        return try RS256Key(
            key: .drawn(key),
            modulus: Array(parts.modulus),
            exponent: Array(parts.publicExponent)
        )
    }

    private init(key: Private, modulus: [UInt8], exponent: [UInt8]) throws {
        self.key = key
        publicKey = try RS256PublicKey(modulus: modulus, exponent: exponent)
    }

    /// The signature of some bytes: 256 bytes in network order.
    func signature(of bytes: [UInt8]) -> [UInt8] {
        switch key {
        case .repeatable(let key): return key.power(Self.encoded(SHA256.hash(data: bytes)))
        case .drawn(let key):
            do {
                let digest = SHA256.hash(data: bytes)
                return Array(
                    try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
                )
            } catch { preconditionFailure("a key of RSA does not sign: \(error)") }
        }
    }

    /// EMSA-PKCS1-v1_5 for 2048 bits and SHA-256 (RFC 8017 section 9.2).
    private static func encoded(_ digest: SHA256.Digest) -> [UInt8] {
        // The algorithm's identifier, and the head of a text of 32 bytes, in DER.
        let head: [UInt8] = [
            0x30, 0x31, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05,
            0x00, 0x04,
            0x20,
        ]
        let padding = [UInt8](repeating: 0xFF, count: 256 - 3 - head.count - 32)
        return [0, 1] + padding + [0] + head + digest
    }

    /// Nothing of the key.
    public var description: String { "<private key>" }
}

/// The public half of a key for RS256.
struct RS256PublicKey: Sendable {
    /// In network order.
    let modulus: [UInt8]
    let exponent: [UInt8]
    private let key: _RSA.Signing.PublicKey

    /// Takes the two numbers of a key, in network order.
    ///
    /// - Throws: What the library throws: they are no key, or one of less than 2048 bits.
    init(modulus: [UInt8], exponent: [UInt8]) throws {
        (self.modulus, self.exponent) = (modulus, exponent)
        key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
    }

    /// Whether it is the signature of those bytes.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        key.isValidSignature(
            _RSA.Signing.RSASignature(rawRepresentation: Data(signature)),
            for: SHA256.hash(data: bytes),
            padding: .insecurePKCS1v1_5
        )
    }
}
