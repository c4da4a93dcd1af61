import PeerKit
import Synchronization

/// What an access token of Nova says, once its signature is known to be good.
struct AccessToken: Sendable, Hashable {
    static let issuer = "nova"

    let userID: String
    /// The sign-in to which it belongs.
    let family: Int
    /// Which of all tokens it is.
    let number: Int
    /// When it ends, in seconds since 1970.
    let expiry: Double

    /// Reads a token; `nil` for what the key has not signed, and for what is no access token.
    init?(_ text: String, by key: RS256PublicKey) {
        guard let token = RS256Token(text), token.isSigned(by: key) else { return nil }
        let claims = token.claims
        guard let expiry = claims["exp"]?.number, claims["iss"]?.string == Self.issuer,
            claims["token_type"] == "access", let user = claims["sub"]?.string,
            let family = claims["sid"]?.integer, let number = claims["jti"]?.string.flatMap({ Int($0) })
        else { return nil }
        (userID, self.family, self.number, self.expiry) = (user, family, number, expiry)
    }
}

/// Access tokens whose signature was checked, so that a call after the first one costs a look-up.
///
/// Whether a token has ended or was revoked is not remembered.
struct CheckedAccessTokens: ~Copyable, Sendable {
    /// Some megabytes of tokens; when there are more, all are checked again, also those that have ended meanwhile.
    private static let most = 10_000
    private let tokens = Mutex<[String: AccessToken]>([:])

    /// A token that the key has signed; `nil` for all others, which are not remembered.
    func token(_ text: String, by key: RS256PublicKey) -> AccessToken? {
        // Other letters can be equal to those of a token, as Unicode sees it.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let known = tokens.withLock({ $0[text] }) { return known }
        guard let token = AccessToken(text, by: key) else { return nil }
        tokens.withLock { tokens in
            if tokens.count >= Self.most { tokens.removeAll() }
            tokens[text] = token
        }
        return token
    }
}
