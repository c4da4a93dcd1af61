import PeerKit

/// The refresh tokens that were given, each of a family that begins with a pairing.
///
/// Times are elapsed ones: a hub whose clock is set keeps its tokens.
struct RefreshTokens {
    typealias Instant = ContinuousClock.Instant

    /// What comes of a token that is sent.
    enum Use: Sendable {
        /// It was used for the first time, and `next` follows it.
        case rotated(device: String, next: String)
        /// It was used before, and the grace of the project gives this one back.
        case forgiven(device: String, answer: String)
        /// It was used before.
        case reused(device: String, revokesFamily: Bool)
        /// It was never given, or is revoked or expired.
        case unknown
    }

    private struct Token {
        let device: String
        let family: Int
        let expiry: Instant
        var used: Instant?
    }

    /// Tokens that are kept, used ones too; past them the oldest is forgotten.
    private static let mostTokens = 100_000
    /// Random bytes of a token; the public hub's number.
    private static let byteCount = 64

    private let lifetime: Duration
    private var tokens: [String: Token] = [:]
    /// The newest token of each family.
    private var newest: [Int: String] = [:]
    private var given = BoundedLog<String>(capacity: mostTokens)
    private var familyCount = 0

    init(lifetime: Int) { self.lifetime = .seconds(lifetime) }

    /// The first token of a new family.
    mutating func begin(for device: String, at now: Instant) -> String {
        familyCount += 1
        return give(family: familyCount, device, now)
    }

    /// Takes a token that was sent.
    mutating func use(_ text: String, _ project: ArgusProject, at now: Instant) -> Use {
        guard var token = tokens[text], token.expiry > now else { return .unknown }
        guard let used = token.used else {
            token.used = now
            tokens[text] = token
            return .rotated(device: token.device, next: give(family: token.family, token.device, now))
        }
        if now - used <= .seconds(project.gracePeriod) {
            switch project.grace {
            case .none: break
            case .echoesOld: return .forgiven(device: token.device, answer: text)
            case .returnsSuccessor:
                if let next = newest[token.family] { return .forgiven(device: token.device, answer: next) }
            }
        }
        if project.reuseRevokesFamily { forget { $0.family == token.family } }
        return .reused(device: token.device, revokesFamily: project.reuseRevokesFamily)
    }

    /// The device that a token was given to.
    func device(of text: String) -> String? { tokens[text]?.device }

    /// Revokes the family of one token of a device, or says 0 where it has no such token.
    mutating func revoke(_ text: String, of device: String) -> Int {
        guard let token = tokens[text], token.device == device else { return 0 }
        return forget { $0.family == token.family }
    }

    /// Revokes all tokens of a device, and says how many of them could have been used.
    mutating func revokeAll(of device: String) -> Int { forget { $0.device == device } }

    @discardableResult
    private mutating func forget(_ isRevoked: (borrowing Token) -> Bool) -> Int {
        let gone = tokens.filter { isRevoked($0.value) }
        for (text, token) in gone {
            tokens[text] = nil
            newest[token.family] = nil
        }
        return gone.count { $0.value.used == nil }
    }

    private mutating func give(family: Int, _ device: String, _ now: Instant) -> String {
        let text = Hexadecimal.encode((0..<Self.byteCount).map { _ in UInt8.random(in: 0...255) })
        if let oldest = given.leaving {
            if let family = tokens[oldest]?.family, newest[family] == oldest { newest[family] = nil }
            tokens[oldest] = nil
        }
        given.append(text)
        tokens[text] = Token(device: device, family: family, expiry: now + lifetime)
        newest[family] = text
        return text
    }
}
