internal import Crypto
internal import Foundation
public import SignedToken

/// A private key whose signature of the same bytes is always the same one: for providers inside a simulation.
///
/// The library's own signatures draw a number of random bytes that varies, which would shift all later draws of a seed. The numbers here follow from key and
/// message (RFC 6979). The arithmetic takes a time that depends on the key: it is not for keys that protect something.
public struct RepeatableSigner: TokenSigner, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let key: OrderNumber

    /// Takes a key.
    ///
    /// - Parameter number: 32 bytes in network order: a number above 0 and below the order of the curve.
    /// - Precondition: The number is in that range.
    public init(_ number: [UInt8]) {
        guard number.count == 32, let key = OrderNumber(bytes: number), !key.isZero else {
            preconditionFailure("a private key of P-256 is above 0 and below the order of the curve")
        }
        self.key = key
    }

    /// What checks its signatures.
    ///
    /// - Throws: What the reader of keys throws; none is expected.
    public func publicKey() throws(TokenKeyError) -> ES256PublicKey {
        guard
            let pem = (try? P256.Signing.PrivateKey(rawRepresentation: key.bytes))?.publicKey
                .pemRepresentation
        else { throw .unreadable }
        return try ES256PublicKey(pem: pem)
    }

    /// Signs; see `TokenSigner`.
    public func signature(of bytes: [UInt8]) throws(TokenKeyError) -> [UInt8] {
        let digest = OrderNumber(reducing: Array(SHA256.hash(data: bytes)))
        var nonces = Nonces(key: key, digest: digest)
        while true {
            let nonce = nonces.next()
            // The first coordinate of the nonce's point: that of a public key.
            guard
                let point = try? P256.Signing.PrivateKey(rawRepresentation: nonce.bytes).publicKey
                    .rawRepresentation
            else { throw .unsigned }
            let r = OrderNumber(reducing: Array(point.prefix(32)))
            let s = nonce.inverse * (digest + r * key)
            if !r.isZero, !s.isZero { return r.bytes + s.bytes }
        }
    }

    /// Nothing of the key.
    public var description: String { "<private key>" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The numbers of RFC 6979 section 3.2, with HMAC and SHA-256.
private struct Nonces {
    private var key: SymmetricKey
    private var value: [UInt8]

    init(key secret: OrderNumber, digest: OrderNumber) {
        value = [UInt8](repeating: 1, count: 32)
        key = SymmetricKey(data: [UInt8](repeating: 0, count: 32))
        for mark: UInt8 in [0, 1] {
            key = SymmetricKey(data: code(value + [mark] + secret.bytes + digest.bytes))
            value = code(value)
        }
    }

    mutating func next() -> OrderNumber {
        while true {
            value = code(value)
            let number = OrderNumber(bytes: value)
            if let number, !number.isZero {
                // For the next one, should this one not do.
                advance()
                return number
            }
            advance()
        }
    }

    private mutating func advance() {
        let text = value
        key = SymmetricKey(data: code(text + [0]))
        value = code(text)
    }

    private func code(_ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }
}
