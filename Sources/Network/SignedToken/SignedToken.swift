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
        guard text.utf8.count <= Self.lengthMaximum else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.decoded(parts[0]), let claims = Self.decoded(parts[1]),
            let signature = Self.decoded(parts[2])
        else { return nil }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signed = Array("\(parts[0]).\(parts[1])".utf8)
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
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static func decoded(_ part: Substring) -> [UInt8]? {
        var text = Data(part.utf8)
        for (index, byte) in part.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            case UInt8(ascii: "-"): text[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): text[index] = UInt8(ascii: "/")
            default: break
            }
        }
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (4 - text.count % 4) % 4))
        return Data(base64Encoded: text).map { Array($0) }
    }
}
