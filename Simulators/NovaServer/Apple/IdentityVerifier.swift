import Foundation
import HTTPTypes
import PeerKit
import Synchronization
import Transport

/// Checks identity tokens by the keys of their issuer, which it keeps for an hour.
final class IdentityVerifier: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What a token says of a person.
    struct Identity: Sendable {
        let email: String?
    }

    private struct Known {
        let keys: WebKeySet
        let fetched: Instant
    }

    private static let keyLifetime: Duration = .seconds(3600)
    /// How long an unknown key is not looked for again.
    private static let pause: Duration = .seconds(60)

    private let issuer: any Server
    private let clientID: String
    private let known: Mutex<Known?> = Mutex(nil)

    init(_ issuer: any Server, clientID: String) { (self.issuer, self.clientID) = (issuer, clientID) }

    /// Checks a token: its form and algorithm, its key, the signature, issuer and audience, its time, the nonce, and the person.
    ///
    /// - Parameters:
    ///   - nonce: What the app says that it has drawn; the token has its digest.
    ///   - user: Who the app says that it is.
    /// - Throws: 401 for a token that does not pass, 503 where the issuer cannot be asked.
    func verify(
        _ text: String,
        nonce: String?,
        user: String,
        requestID: String
    ) async throws(NovaRefusal) -> Identity {
        guard let token = RS256Token(text), let name = token.keyID else { throw .identityToken }
        guard let key = try await key(name, requestID), token.isSigned(by: key) else { throw .identityToken }
        let claims = token.claims
        guard claims["iss"]?.string == AppleIssuer.name, claims["aud"]?.string == clientID,
            let expiry = claims["exp"]?.number, expiry > Date().timeIntervalSince1970
        else { throw .identityToken }
        let wanted = nonce.map { ByteDigest.hexadecimal(of: $0) }
        guard claims["nonce"]?.string == wanted, claims["sub"]?.string == user else { throw .identityToken }
        // Apple writes truth values as such, or as texts.
        let isVerified = claims["email_verified"] == true || claims["email_verified"] == "true"
        return Identity(email: isVerified ? claims["email"]?.string : nil)
    }

    /// The key of that name; the issuer is asked where it is not known, or too old.
    private func key(_ name: String, _ requestID: String) async throws(NovaRefusal) -> RS256PublicKey? {
        let now = ContinuousClock.now
        if let known = known.withLock({ $0 }) {
            let age = now - known.fetched
            if age < Self.keyLifetime, let key = known.keys.keys[name] { return key }
            if age < Self.pause { return nil }
        }
        let request = HTTPRequest(method: .get, scheme: "https", authority: "apple", path: "/auth/keys")
        let answer = await issuer.respond(to: request, body: .empty)
        guard answer.head.status.code == 200, let bytes = try? await answer.body.collect(upTo: 65_536),
            let keys = WebKeySet(json: bytes)
        else { throw .failure(503, requestID: requestID) }
        known.withLock { $0 = Known(keys: keys, fetched: now) }
        return keys.keys[name]
    }
}
