import Crypto
import Foundation

/// JSON Web Tokens with HS256, the project's only algorithm; `none` never passes.
///
/// Source: RFC 7519, RFC 7515; texts of refusals as in supabase/storage `src/internal/auth/jwt.ts`.
struct WebToken: Sendable {
    /// What a verifier says of a token that it refuses.
    struct Refusal: Error, Hashable {
        let text: String

        static let malformed = Refusal(text: "Invalid Compact JWS")
        static let signature = Refusal(text: "signature verification failed")
        static let algorithm = Refusal(text: "\"alg\" (Algorithm) Header Parameter value not allowed")
        static let expired = Refusal(text: "\"exp\" claim timestamp check failed")
    }

    /// Longer texts are no tokens of this project.
    private static let lengthMaximum = 8192

    private let secret: SymmetricKey

    init(secret: String) { self.secret = SymmetricKey(data: Data(secret.utf8)) }

    func sign(_ claims: [String: JSONValue]) -> String {
        let header = JSONValue.object(["alg": "HS256", "typ": "JWT"]).encoded()
        let signed = Self.base64URL(header) + "." + Self.base64URL(JSONValue.object(claims).encoded())
        let code = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: secret)
        return signed + "." + Self.base64URL(Array(code))
    }

    /// The claims of a token whose signature holds and whose time has not passed.
    func verify(_ token: String, now: Date) throws(Refusal) -> [String: JSONValue] {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard token.utf8.count <= Self.lengthMaximum, parts.count == 3,
            let header = Self.json(parts[0]), let signature = Self.bytes(base64URL: parts[2])
        else { throw .malformed }
        guard header["alg"] == "HS256" else { throw .algorithm }
        let signed = Data((parts[0] + "." + parts[1]).utf8)
        guard HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: signed, using: secret) else {
            throw .signature
        }
        guard let claims = Self.json(parts[1]) else { throw .malformed }
        if let expiry = claims["exp"] {
            // No leeway: the second of expiry is expired.
            guard let seconds = expiry.number, seconds > now.timeIntervalSince1970 else { throw .expired }
        }
        return claims
    }

    private static func json(_ part: Substring) -> [String: JSONValue]? {
        bytes(base64URL: part).flatMap { JSONValue(Array($0)) }?.object
    }

    private static func base64URL(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedData().filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func bytes(base64URL text: Substring) -> Data? {
        guard text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "/") }) else { return nil }
        let plain = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        return Data(base64Encoded: plain + String(repeating: "=", count: (4 - plain.count % 4) % 4))
    }
}
