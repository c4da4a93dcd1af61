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
        guard let field = request.headerFields[.authorization], field.prefix(7).lowercased() == "bearer ",
            let token = accessTokens.token(String(field.dropFirst(7)), by: project.signingKey.publicKey),
            // No leeway: the second of expiry is expired.
            token.expiry > Date().timeIntervalSince1970
        else { return nil }
        let isLive = withState { state in
            state.accounts[token.userID] != nil && state.sessions.isLive(token.family, token: token.number)
        }
        return isLive ? Caller(userID: token.userID, family: token.family) : nil
    }

    /// A signed token that the service takes for so many seconds of its own clock.
    func accessToken(for user: String, family: Int) -> String {
        let now = Int(Date().timeIntervalSince1970.rounded(.down))
        let lifetime = faults.strike(NovaFaultPoints.shortToken)?.integer("seconds") ?? project.tokenLifetime
        let number = withState { $0.sessions.nextToken() }
        return RS256Token.make(
            [
                "iss": .string(AccessToken.issuer), "sub": .string(user), "iat": .integer(now),
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
