import Foundation

/// A row of `auth.sessions`, and its refresh tokens: each is used once, and has the one before as its parent.
struct AuthSession: Sendable, Hashable, Codable {
    /// A row of `auth.refresh_tokens`.
    struct RefreshToken: Sendable, Hashable, Codable {
        var text: String
        var parent: String?
        /// When it was used, or revoked with its family.
        var revokedAt: Date?
    }

    /// Tokens that are known of a session; the use of an older one says nothing any more.
    static let tokenCountMaximum = 100

    let id: String
    let userID: String
    let createdAt: Date
    private(set) var tokens: [RefreshToken] = []

    init(id: String, userID: String, now: Date) {
        (self.id, self.userID, createdAt) = (id, userID, now)
        _ = issue(after: nil)
    }

    /// The newest token.
    var newest: String { tokens.last?.text ?? "" }

    func knows(_ token: String) -> Bool { tokens.contains { $0.text == token } }

    /// Takes a refresh token for the next one.
    ///
    /// A token that was used is good for a while longer: many requests may have been under way with it. It is also good as long as the
    /// one that it was taken for is unused, which is then given again: its answer may have been lost. Otherwise somebody has a copy,
    /// and all tokens of the session are revoked.
    /// Source: supabase/auth `internal/tokens/service.go`, which gives revoked tokens the same while longer; here it is over at once.
    ///
    /// - Returns: The token to give; `nil` where it was used before, and its family is revoked now.
    mutating func rotate(_ token: String, now: Date, reuse interval: Duration) -> String? {
        guard let place = tokens.firstIndex(where: { $0.text == token }) else { return nil }
        if let revokedAt = tokens[place].revokedAt {
            let active = tokens.last { $0.revokedAt == nil }
            if let active, active.parent == token { return active.text }
            guard now <= revokedAt + interval / .seconds(1) else {
                for index in tokens.indices { tokens[index].revokedAt = .distantPast }
                return nil
            }
        }
        tokens[place].revokedAt = now
        return issue(after: token)
    }

    private mutating func issue(after parent: String?) -> String {
        let text = Self.randomText()
        tokens.append(RefreshToken(text: text, parent: parent))
        if tokens.count > Self.tokenCountMaximum { tokens.removeFirst() }
        return text
    }

    /// Twelve letters and digits, as the service has them.
    private static func randomText() -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<12).map { _ in letters[Int.random(in: letters.indices)] })
    }
}
