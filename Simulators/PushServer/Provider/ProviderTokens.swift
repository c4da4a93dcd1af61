internal import Foundation
internal import PeerKit
internal import SignedToken

/// What is known of the tokens with which providers prove who they are.
///
/// Source: Apple, "Establishing a token-based connection to APNs".
struct ProviderTokens: Sendable {
    /// A token whose signature was checked.
    private struct Known {
        var keyID: String
        var issued: Date
    }

    private var known: [String: Known] = [:]
    /// When each new token of a key was seen, oldest first.
    private var updates: [String: [Date]] = [:]

    /// A token is refused an hour after it was issued.
    static let lifetime: TimeInterval = 3600
    /// How far a provider's clock may be ahead: our own choice.
    static let skew: TimeInterval = 300
    /// The time in which a key has one new token, at Apple.
    static let period: TimeInterval = 20 * 60
    /// Tokens whose check is remembered.
    private static let knownLimit = 1_000

    /// Checks the field `authorization`, and returns the key that it was signed with.
    mutating func check(_ field: String?, _ project: PushProject, now: Date) throws(PushRefusal)
        -> PushProject.Key
    {
        guard let field else { throw PushRefusal(.missingProviderToken) }
        let words = field.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer" else {
            throw PushRefusal(.missingProviderToken)
        }
        let text = String(words[1])
        let found: Known
        if let before = known[text] { found = before } else { found = try Self.read(text, project) }
        let age = now.timeIntervalSince(found.issued)
        guard age > -Self.skew else { throw PushRefusal(.invalidProviderToken) }
        guard age <= Self.lifetime else { throw PushRefusal(.expiredProviderToken) }
        guard let key = project.keys.first(where: { $0.id == found.keyID }) else {
            throw PushRefusal(.invalidProviderToken)
        }
        guard known[text] == nil else { return key }
        var recent = updates[key.id, default: []]
        recent.removeAll { now.timeIntervalSince($0) >= Self.period }
        guard recent.count < project.providerTokensPerPeriod else {
            throw PushRefusal(.tooManyProviderTokenUpdates)
        }
        updates[key.id] = recent + [now]
        if known.count >= Self.knownLimit {
            known = known.filter { now.timeIntervalSince($0.value.issued) <= Self.lifetime }
            if known.count >= Self.knownLimit { known = [:] }
        }
        known[text] = found
        return key
    }

    private static func read(_ text: String, _ project: PushProject) throws(PushRefusal) -> Known {
        guard let token = SignedToken(text),
            let header = (try? JSONValue(json: token.header, depth: 4))?.object, header["alg"] == "ES256",
            let key = project.keys.first(where: { $0.id == header["kid"]?.string }),
            key.publicKey.isValid(token.signature, for: token.signed),
            let claims = (try? JSONValue(json: token.claims, depth: 4))?.object,
            claims["iss"]?.string == project.teamID,
            // Some clients send a fraction.
            let issued = claims["iat"]?.number
        else { throw PushRefusal(.invalidProviderToken) }
        return Known(keyID: key.id, issued: Date(timeIntervalSince1970: issued))
    }
}
