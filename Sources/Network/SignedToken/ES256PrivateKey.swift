internal import Crypto

/// A private key for ES256, which signs as the library does: each signature is another one.
public struct ES256PrivateKey: TokenSigner, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let key: P256.Signing.PrivateKey

    /// Draws a key.
    public init() { key = P256.Signing.PrivateKey() }

    /// Reads an unencrypted key in PEM, such as Apple's `AuthKey_….p8`.
    ///
    /// - Throws: ``TokenKeyError/unreadable``.
    public init(pem: String) throws(TokenKeyError) {
        do { key = try P256.Signing.PrivateKey(pemRepresentation: pem) } catch { throw .unreadable }
    }

    /// The key in PEM (PKCS #8), for the one file that keeps it.
    public func revealPEM() -> String { key.pemRepresentation + "\n" }

    /// What checks its signatures.
    public var publicKey: ES256PublicKey { ES256PublicKey(key: key.publicKey) }

    /// Signs; see ``TokenSigner``.
    public func signature(of bytes: [UInt8]) throws(TokenKeyError) -> [UInt8] {
        do { return Array(try key.signature(for: bytes).rawRepresentation) } catch { throw .unsigned }
    }

    /// Nothing of the key.
    public var description: String { "<private key>" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A public key for ES256.
public struct ES256PublicKey: Sendable {
    let key: P256.Signing.PublicKey

    init(key: P256.Signing.PublicKey) { self.key = key }

    /// Reads a key in PEM.
    ///
    /// - Throws: ``TokenKeyError/unreadable``.
    public init(pem: String) throws(TokenKeyError) {
        do { key = try P256.Signing.PublicKey(pemRepresentation: pem) } catch { throw .unreadable }
    }

    /// Whether it is the signature of those bytes, as r and s in 64 bytes; checking draws no random numbers.
    public func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else {
            return false
        }
        return key.isValidSignature(signature, for: bytes)
    }
}
