import Foundation
import HTTPTypes
import PeerKit

extension NovaServer {
    /// Who makes a call, by an access token.
    struct Caller: Sendable, Hashable {
        let userID: String
        /// The sign-in to which the token belongs.
        let family: Int
    }

    private static let keyID = "nova-1"
    private static let issuer = "nova"

    /// What access tokens are checked with.
    var publicKeys: WebKeySet { WebKeySet([Self.keyID: project.signingKey.publicKey]) }

    /// Reads the token of a call.
    ///
    /// - Returns: `nil` at calls that are open to everybody, for whoever has no valid token.
    /// - Throws: 401 at all others.
    func caller(of visit: NovaVisit) throws(NovaRefusal) -> Caller? {
        if let caller = self.caller(visit.request) { return caller }
        if visit.call.isOpen { return nil }
        throw .token
    }

    private func caller(_ request: HTTPRequest) -> Caller? {
        // The scheme's name has no letter case (RFC 9110 section 11.1).
        guard let field = request.headerFields[.authorization], field.lowercased().hasPrefix("bearer "),
            let token = RS256Token(String(field.dropFirst(7))),
            token.isSigned(by: project.signingKey.publicKey)
        else { return nil }
        let claims = token.claims
        // No leeway: the second of expiry is expired.
        guard let expiry = claims["exp"]?.number, expiry > Date().timeIntervalSince1970,
            claims["iss"]?.string == Self.issuer, claims["token_type"] == "access",
            let user = claims["sub"]?.string, let family = claims["sid"]?.integer,
            let number = claims["jti"]?.string.flatMap({ Int($0) })
        else { return nil }
        let isLive = withState { state in
            state.accounts[user] != nil && state.sessions.isLive(family, token: number)
        }
        return isLive ? Caller(userID: user, family: family) : nil
    }

    /// A signed token that the service takes for so many seconds of its own clock.
    func accessToken(for user: String, family: Int) -> String {
        let now = Int(Date().timeIntervalSince1970.rounded(.down))
        let lifetime = faults.strike(NovaFaultPoints.shortToken)?.integer("seconds") ?? project.tokenLifetime
        let number = withState { $0.sessions.nextToken() }
        return RS256Token.make(
            [
                "iss": .string(Self.issuer), "sub": .string(user), "iat": .integer(now),
                "exp": .integer(now + lifetime),
                // Two tokens of one second differ.
                "jti": .string(String(number)), "sid": .integer(family), "token_type": "access",
            ],
            keyID: Self.keyID,
            by: project.signingKey
        )
    }

    /// Ends the token of a call before its time, with all others of the same sign-in so far.
    func endToken(of visit: NovaVisit) {
        guard let caller = caller(visit.request) else { return }
        withState { $0.sessions.revokeAccess(caller.family) }
    }
}
