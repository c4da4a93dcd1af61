internal import Foundation
internal import SignedToken
internal import Synchronization

/// The token with which a provider proves who it is, made again before it is too old.
///
/// Source: Apple, "Establishing a token-based connection to APNs": no older than an hour, and not made more often than every 20 minutes.
final class ProviderToken: Sendable {
    private struct Made {
        var text: String
        var at: ContinuousClock.Instant
    }

    /// The age at which it is made again.
    static let lifetime = Duration.seconds(50 * 60)

    private let credentials: PushProvider.Credentials
    private let made = Mutex<Made?>(nil)

    init(_ credentials: PushProvider.Credentials) { self.credentials = credentials }

    /// The token of now, one for all connections.
    ///
    /// - Parameter refused: One that the service has called expired, in whose place another is made.
    func text(insteadOf refused: String? = nil) throws(TokenKeyError) -> String {
        let result = made.withLock { made -> Result<String, TokenKeyError> in
            let now = ContinuousClock.now
            if let made, now - made.at < Self.lifetime, made.text != refused { return .success(made.text) }
            do throws(TokenKeyError) {
                let text = try make()
                made = Made(text: text, at: now)
                return .success(text)
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    private func make() throws(TokenKeyError) -> String {
        struct Header: Encodable {
            var alg = "ES256"
            var kid: String
            var typ = "JWT"
        }
        struct Claims: Encodable {
            var iss: String
            var iat: Int
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let claims = Claims(iss: credentials.teamID, iat: Int(Date().timeIntervalSince1970))
        guard let header = try? encoder.encode(Header(kid: credentials.keyID)),
            let body = try? encoder.encode(claims)
        else { preconditionFailure("texts and numbers can be encoded") }
        return try SignedToken.make(header: Array(header), claims: Array(body), by: credentials.signer)
    }
}
