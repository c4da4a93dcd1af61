import Foundation
import PeerKit
import Synchronization

/// The tokens that have not expired.
final class TokenStore: Sendable {
    /// Tokens of one server; a simulator needs no more, and each keeps what it locks.
    private static let mostTokens = 500

    private let tokens = Mutex<[String: AuthToken]>([:])

    /// Keeps a token, and returns its name.
    ///
    /// - Throws: 429 when too many are alive.
    func keep(_ token: AuthToken) throws(GeminiFailure) -> String {
        let name = "auth_tokens/" + FileStore.drawnID(length: 64)
        let isKept = tokens.withLock { tokens in
            if tokens.count >= Self.mostTokens {
                let now = Date()
                tokens = tokens.filter { $0.value.expiresAt > now }
            }
            guard tokens.count < Self.mostTokens else { return false }
            tokens[name] = token
            return true
        }
        guard isKept else { throw .exhausted("The simulator keeps no more tokens.") }
        return name
    }

    /// A token that has not expired.
    func token(_ name: String) throws(LiveRefusal) -> AuthToken {
        guard let token = tokens.withLock({ $0[name] }) else { throw .unknownToken }
        guard token.expiresAt > Date() else { throw .expiredToken }
        return token
    }

    /// Takes one use of a token, unless a session is gone on with.
    ///
    /// - Returns: When the session has to end.
    func open(_ name: String, resumes: Bool) throws(LiveRefusal) -> Date {
        let token = try token(name)
        if resumes { return token.expiresAt }
        guard token.opensUntil > Date() else { throw .closedToken }
        let isUsed = tokens.withLock { tokens in
            guard let left = tokens[name]?.usesLeft else { return true }
            guard left > 0 else { return false }
            tokens[name]?.usesLeft = left - 1
            return true
        }
        guard isUsed else { throw .usedToken }
        return token.expiresAt
    }
}

/// The words are not known from any report; a token that is none gets those that Google's services have for credentials.
extension LiveRefusal {
    static let unknownToken = LiveRefusal(
        1008,
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid "
            + "authentication credential."
    )
    static let expiredToken = LiveRefusal(1008, "The auth token has expired.")
    static let closedToken = LiveRefusal(1008, "The auth token opens no new sessions any more.")
    static let usedToken = LiveRefusal(1008, "The auth token has been used as often as it may be.")
}
