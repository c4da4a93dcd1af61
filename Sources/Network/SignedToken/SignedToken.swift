internal import Foundation

/// A JSON Web Token in its compact form, cut into its parts; what its header and claims say is for others to read.
///
/// Source: RFC 7515 section 7.1.
public struct SignedToken: Sendable, Hashable {
    /// The header's JSON.
    public let header: [UInt8]
    /// The JSON of the claims.
    public let claims: [UInt8]
    /// What the signature is about: the first two parts as they came, with the dot between them.
    public let signed: [UInt8]
    /// The signature.
    public let signature: [UInt8]

    /// Bytes of the longest token that is read.
    public static let lengthMaximum: Int = 4096

    /// Cuts a token; `nil` for what is none, or longer than ``lengthMaximum``.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.lengthMaximum else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decoded(parts[0]), let claims = Self.decoded(parts[1]),
            let signature = Self.decoded(parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Array(bytes[..<parts[1].endIndex])
    }

    /// Makes and signs a token.
    ///
    /// - Parameters:
    ///   - header: The header's JSON.
    ///   - claims: The JSON of the claims.
    ///   - signer: What signs.
    /// - Throws: What the signer throws.
    public static func make(
        header: [UInt8],
        claims: [UInt8],
        by signer: any TokenSigner
    ) throws(TokenKeyError) -> String {
        let signed = "\(encoded(header)).\(encoded(claims))"
        return "\(signed).\(encoded(try signer.signature(of: Array(signed.utf8))))"
    }

    /// Base64 for URLs, without padding (RFC 7515 section 2).
    private static func encoded(_ bytes: [UInt8]) -> String {
        let letters = Data(bytes).base64EncodedString().utf8.prefix { $0 != UInt8(ascii: "=") }
        return String(
            decoding: letters.map { letter in
                switch letter {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: letter
                }
            },
            as: UTF8.self
        )
    }

    private static func decoded(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        var text = Data(capacity: part.count + 3)
        for byte in part {
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            case UInt8(ascii: "-"): text.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): text.append(UInt8(ascii: "/"))
            default: text.append(byte)
            }
        }
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
        return Data(base64Encoded: text).map { Array($0) }
    }
}
