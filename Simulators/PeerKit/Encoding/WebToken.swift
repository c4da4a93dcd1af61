import Crypto
public import Foundation

/// Signs and verifies JSON Web Tokens with HS256; no other algorithm passes, least of all `none`.
///
/// Source: RFC 7519, RFC 7515.
public struct WebToken: Sendable {
    /// Why a token is refused.
    public enum Refusal: Error, Sendable, Hashable {
        /// It is no signed token, or too long for one.
        case malformed
        /// It names another algorithm.
        case algorithm
        /// It was signed with another secret, or changed.
        case signature
        /// The second of its `exp` has come.
        case expired
        /// The second of its `nbf` has not come.
        case early
    }

    /// Bytes of the longest token that is read.
    public static let lengthMaximum: Int = 8192

    private let secret: SymmetricKey

    /// Takes the secret.
    public init(secret: String) { self.secret = SymmetricKey(data: Data(secret.utf8)) }

    /// A token with those claims.
    public func sign(_ claims: [String: JSONValue]) -> String {
        let header: JSONValue = ["alg": "HS256", "typ": "JWT"]
        let signed = "\(Base64.urlEncoded(header.json)).\(Base64.urlEncoded(JSONValue.object(claims).json))"
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: secret)
        return "\(signed).\(Base64.urlEncoded(code))"
    }

    /// The claims of a token whose signature holds and whose time it is.
    public func verify(_ token: String, now: Date) throws(Refusal) -> [String: JSONValue] {
        guard token.utf8.count <= Self.lengthMaximum else { throw .malformed }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]),
            let signature = Base64.decoded(url: parts[2])
        else { throw .malformed }
        guard header["alg"] == "HS256" else { throw .algorithm }
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: secret) else {
            throw .signature
        }
        guard let claims = Self.object(parts[1]) else { throw .malformed }
        // No leeway: the second of expiry is expired.
        let seconds = now.timeIntervalSince1970
        if let start = claims["nbf"] {
            guard let start = start.number, start <= seconds else { throw .early }
        }
        if let expiry = claims["exp"] {
            guard let expiry = expiry.number, expiry > seconds else { throw .expired }
        }
        return claims
    }

    private static func object(_ part: Substring) -> [String: JSONValue]? {
        Base64.decoded(url: part).flatMap { try? JSONValue(json: $0) }?.object
    }
}
