import PeerKit
import SignedToken

/// A JSON Web Token that is signed with RS256, taken apart; no other algorithm passes, least of all `none`.
///
/// Source: RFC 7519, RFC 8725 section 3.1.
struct RS256Token {
    /// The name of the key that signed it, where the token says it.
    let keyID: String?
    /// What it says; nothing of it is true before ``isSigned(by:)`` is.
    let claims: [String: JSONValue]
    private let token: SignedToken

    /// Takes a token apart; `nil` for what is none, or names another algorithm.
    init?(_ text: String) {
        guard let token = SignedToken(text),
            let header = (try? JSONValue(json: token.header, depth: 2))?.object,
            header["alg"] == "RS256", header["crit"] == nil,
            let claims = (try? JSONValue(json: token.claims, depth: 4))?.object
        else { return nil }
        (self.token, self.claims, keyID) = (token, claims, header["kid"]?.string)
    }

    func isSigned(by key: RS256PublicKey) -> Bool { key.isValid(token.signature, for: token.signed) }

    /// Makes and signs a token.
    static func make(
        _ claims: [String: JSONValue],
        header: [String: JSONValue] = [:],
        keyID: String,
        by key: RS256Key
    ) -> String {
        let usual: [String: JSONValue] = ["alg": "RS256", "typ": "JWT", "kid": .string(keyID)]
        let head = JSONValue.object(usual.merging(header) { $1 })
        let signed = "\(Base64.urlEncoded(head.json)).\(Base64.urlEncoded(JSONValue.object(claims).json))"
        return "\(signed).\(Base64.urlEncoded(key.signature(of: Array(signed.utf8))))"
    }
}
