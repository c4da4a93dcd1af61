import Foundation
import PeerKit

/// The users of a project and their sessions.
struct AuthState: Sendable, Codable {
    /// Users and sessions that are kept; of sessions, the oldest go.
    static let countMaximum = 1000

    private(set) var users: [String: AuthUser] = [:]
    /// By their creation.
    private(set) var sessions: [AuthSession] = []

    func user(email: String) -> AuthUser? { users.values.first { $0.email == email } }

    func session(_ id: String) -> AuthSession? { sessions.first { $0.id == id } }

    func sessions(of userID: String) -> [AuthSession] { sessions.filter { $0.userID == userID } }

    // MARK: Users

    mutating func add(_ user: AuthUser) throws(AuthRefusal) {
        guard users.count < Self.countMaximum else { throw .full }
        users[user.id] = user
    }

    mutating func replace(_ user: AuthUser) { users[user.id] = user }

    // MARK: Sessions

    /// Begins a session of a user.
    mutating func begin(_ userID: String, now: Date) -> AuthSession {
        let session = AuthSession(id: UUID().uuidString.lowercased(), userID: userID, now: now)
        sessions.append(session)
        if sessions.count > Self.countMaximum { sessions.removeFirst() }
        users[userID]?.lastSignInAt = now
        return session
    }

    /// Ends sessions.
    mutating func end(where holds: (AuthSession) -> Bool) { sessions.removeAll(where: holds) }

    /// What becomes of a refresh token.
    enum Rotation: Sendable {
        /// The token to give, its session and the user.
        case given(String, AuthSession, AuthUser)
        /// Nothing; the state may have changed nevertheless.
        case refused(AuthRefusal)
    }

    /// Takes a refresh token for the next one.
    ///
    /// - Parameter lifetime: How long a session lasts; `nil` for as long as it is used.
    mutating func rotate(
        _ token: String,
        now: Date,
        reuse interval: Duration,
        lifetime: Duration?
    ) -> Rotation {
        guard let place = sessions.firstIndex(where: { $0.knows(token) }),
            let user = users[sessions[place].userID]
        else { return .refused(.unknownRefresh) }
        if user.isBanned { return .refused(.bannedRefresh) }
        if let lifetime, now > sessions[place].createdAt + lifetime / .seconds(1) {
            return .refused(.endedSession)
        }
        guard let next = sessions[place].rotate(token, now: now, reuse: interval) else {
            return .refused(.usedRefresh)
        }
        return .given(next, sessions[place], user)
    }
}
