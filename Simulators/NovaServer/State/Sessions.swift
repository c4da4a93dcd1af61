import Foundation
import PeerKit

/// The refresh tokens that were given, each of a family that begins with a sign-in.
///
/// Times are elapsed ones: a service whose clock is set keeps its tokens.
struct Sessions {
    typealias Instant = ContinuousClock.Instant

    /// Two tokens as a client gets them.
    struct Pair: Sendable, Hashable {
        let access: String
        let refresh: String
    }

    /// What comes of a refresh token that is sent.
    enum Use: Sendable {
        /// It can be exchanged for the next one.
        case current(userID: String, family: Int)
        /// It is the last that was exchanged, and within the grace.
        case forgiven(userID: String, Pair)
        /// It was used before, and its family has ended.
        case reused(userID: String)
        /// It was never given, or its family has ended or expired.
        case unknown
    }

    private struct Family {
        let userID: String
        var current: String
        var expiry: Instant
        /// The last token that was exchanged, when, and for what.
        var last: (token: String, used: Instant, pair: Pair)?
        /// All tokens, for reuse of the old ones.
        var tokens: [String]
        /// Access tokens that were revoked: those up to a number.
        var revoked = 0
    }

    /// Sign-ins that are kept; past them the oldest ends.
    private static let mostFamilies = 20_000
    /// Tokens of a family of which reuse is noticed.
    private static let mostTokens = 1000
    /// Random bytes of a token.
    private static let byteCount = 32

    private let lifetime: Duration
    private let grace: Duration
    private var families: [Int: Family] = [:]
    private var familiesByToken: [String: Int] = [:]
    private var familyCount = 0
    private var oldest = 1
    /// The families that have changed and are not in the folder yet, where something is kept there.
    private var changed: Set<Int> = []
    /// Access tokens that were given.
    private(set) var tokenCount = 0

    init(lifetime: Int, grace: Int) { (self.lifetime, self.grace) = (.seconds(lifetime), .seconds(grace)) }

    /// Begins a family.
    mutating func begin(for user: String, at now: Instant) -> (family: Int, refresh: String) {
        familyCount += 1
        let token = Self.draw()
        families[familyCount] = Family(userID: user, current: token, expiry: now + lifetime, tokens: [token])
        familiesByToken[token] = familyCount
        changed.insert(familyCount)
        while families.count > Self.mostFamilies {
            end(oldest)
            oldest += 1
        }
        return (familyCount, token)
    }

    /// Looks at a token that was sent; one that was used already ends its family.
    mutating func use(_ token: String, at now: Instant) -> Use {
        guard let number = familiesByToken[token], let family = families[number], family.expiry > now else {
            return .unknown
        }
        if token == family.current { return .current(userID: family.userID, family: number) }
        if let last = family.last, last.token == token, now - last.used < grace {
            return .forgiven(userID: family.userID, last.pair)
        }
        end(number)
        return .reused(userID: family.userID)
    }

    /// Puts the next token in the place of the current one; `nil` where that is another meanwhile, or the family has ended.
    mutating func rotate(_ number: Int, _ token: String, access: String, at now: Instant) -> Pair? {
        guard var family = families[number], family.current == token else { return nil }
        let pair = Pair(access: access, refresh: Self.draw())
        family.last = (family.current, now, pair)
        family.current = pair.refresh
        family.expiry = now + lifetime
        family.tokens.append(pair.refresh)
        if family.tokens.count > Self.mostTokens { familiesByToken[family.tokens.removeFirst()] = nil }
        families[number] = family
        changed.insert(number)
        familiesByToken[pair.refresh] = number
        return pair
    }

    /// The number of the next access token.
    mutating func nextToken() -> Int {
        tokenCount += 1
        return tokenCount
    }

    /// Whether an access token of a family is still good.
    func isLive(_ number: Int, token: Int) -> Bool { families[number].map { token > $0.revoked } ?? false }

    /// Revokes the access tokens of a family that were given so far; its refresh token can be used.
    mutating func revokeAccess(_ number: Int) {
        families[number]?.revoked = tokenCount
        changed.insert(number)
    }

    /// The same for all families.
    mutating func revokeAllAccess() { for number in families.keys { revokeAccess(number) } }

    /// Ends a family: all of its tokens are refused.
    mutating func end(_ number: Int) {
        changed.insert(number)
        for token in families.removeValue(forKey: number)?.tokens ?? [] { familiesByToken[token] = nil }
    }

    /// Ends all families of a person.
    mutating func endAll(of user: String) {
        for (number, family) in families where family.userID == user { end(number) }
    }

    private static func draw() -> String {
        Hexadecimal.encode((0..<byteCount).map { _ in UInt8.random(in: 0...255) })
    }
}

// MARK: Keeping

extension Sessions {
    /// A family as its record has it, by times of the calendar.
    struct Kept: Sendable, Codable {
        fileprivate struct Last: Sendable, Codable {
            let token: String
            let used: Date
            let access: String
            let refresh: String
        }

        fileprivate let userID: String
        fileprivate let expiry: Date
        fileprivate let last: Last?
        fileprivate let tokens: [String]
        fileprivate let revoked: Int
    }

    /// The families that have changed since this was asked last: by their numbers, and without a record where they have ended.
    mutating func takeChanges(_ clock: KeptClock) -> [Int: Kept?] {
        defer { changed = [] }
        return Dictionary(uniqueKeysWithValues: changed.map { ($0, kept($0, clock)) })
    }

    /// All families.
    func all(_ clock: KeptClock) -> [Int: Kept?] {
        Dictionary(uniqueKeysWithValues: families.keys.map { ($0, kept($0, clock)) })
    }

    private func kept(_ number: Int, _ clock: KeptClock) -> Kept? {
        families[number].map { family in
            Kept(
                userID: family.userID,
                expiry: clock.date(of: family.expiry),
                last: family.last.map {
                    Kept.Last(
                        token: $0.token,
                        used: clock.date(of: $0.used),
                        access: $0.pair.access,
                        refresh: $0.pair.refresh
                    )
                },
                tokens: family.tokens,
                revoked: family.revoked
            )
        }
    }

    /// Puts back what was kept.
    mutating func restore(_ kept: [Int: Kept?], tokenCount: Int, _ clock: KeptClock) {
        for (number, record) in kept.sorted(by: { $0.key < $1.key }) {
            end(number)
            familyCount = max(familyCount, number)
            guard let record, let current = record.tokens.last else { continue }
            families[number] = Family(
                userID: record.userID,
                current: current,
                expiry: clock.instant(of: record.expiry),
                last: record.last.map {
                    (
                        token: $0.token, used: clock.instant(of: $0.used),
                        pair: Pair(access: $0.access, refresh: $0.refresh)
                    )
                },
                tokens: record.tokens,
                revoked: record.revoked
            )
            for token in record.tokens { familiesByToken[token] = number }
        }
        self.tokenCount = max(self.tokenCount, tokenCount)
        changed = []
    }
}
