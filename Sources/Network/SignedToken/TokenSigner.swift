/// Signs tokens with ES256: ECDSA on the curve P-256 over SHA-256.
///
/// Source: RFC 7518 section 3.4.
public protocol TokenSigner: Sendable {
    /// The signature of some bytes: r and s, 32 bytes each, in network order; not DER.
    ///
    /// - Throws: ``TokenKeyError/unsigned``.
    func signature(of bytes: [UInt8]) throws(TokenKeyError) -> [UInt8]
}

/// Why a key cannot be used.
///
/// No case holds any of it.
public enum TokenKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The text is no PEM document of a key on the curve P-256.
    case unreadable
    /// The library did not sign.
    case unsigned

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .unreadable: "this is no key for ES256: a PEM document of a key on the curve P-256 is needed"
        case .unsigned: "the key could not sign"
        }
    }
}
