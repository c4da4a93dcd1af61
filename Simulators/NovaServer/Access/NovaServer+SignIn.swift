import Foundation
import PeerKit

extension NovaServer {
    // `{email, password}` → a session
    func signIn(_ visit: NovaVisit) throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let email = fields.text("email", length: 1...254).lowercased()
        let password = fields.text("password", length: 1...200)
        try fields.check()
        try count("signIn \(email)", project.rates.signIn)
        guard let account = withState({ $0.account(email: email) }), account.password?.fits(password) == true
        else { throw .credentials }
        note(.signedIn(userID: account.id))
        return session(of: account, visit)
    }

    // `{username, email, password}` → a session, with 201
    func signUp(_ visit: NovaVisit) throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let username = fields.text("username", length: 3...30)
        let isName = username.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        fields.require(isName, "username", "may have letters, digits, dots and underscores")
        let email = fields.text("email", length: 3...254).lowercased()
        fields.require(Self.isAddress(email), "email", "is no e-mail address")
        let password = fields.text("password", length: 8...200)
        try fields.check()
        try count("signIn \(email)", project.rates.signIn)
        let account = try change { state throws(NovaRefusal) in
            if state.account(email: email) != nil { throw .conflict("email") }
            if state.account(username: username) != nil { throw .conflict("username") }
            let id = state.freshID("user")
            let account = Account(
                id: id,
                username: username,
                email: email,
                password: PasswordDigest(password, salt: id),
                displayName: username
            )
            state.add(account)
            state.log.append(.signedUp(userID: id))
            return account
        }
        return session(of: account, visit, status: 201)
    }

    // `{identity_token, user, email?, full_name?, nonce?}` → a session
    func signInWithApple(_ visit: NovaVisit) async throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let text = fields.text("identity_token", length: 1...8192)
        let user = fields.text("user")
        let email = fields.optionalText("email", length: 0...254)
        let name = fields.optionalText("full_name", length: 0...100)
        let nonce = fields.optionalText("nonce", length: 0...200)
        try fields.check()
        try count("signIn apple \(user)", project.rates.signIn)
        let identity = try await identities.verify(
            text,
            nonce: nonce,
            user: user,
            requestID: Self.requestID(visit.number)
        )
        let account = withState { state -> Account in
            if let known = state.account(apple: user) {
                state.log.append(.signedIn(userID: known.id))
                return known
            }
            // What Apple says counts more than what the app says.
            let address = (identity.email ?? email)?.lowercased()
            let isFree = address.map { Self.isAddress($0) && state.account(email: $0) == nil } ?? false
            let id = state.freshID("user")
            let shown = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
            let username = "member_\(id.suffix(8))"
            let account = Account(
                id: id,
                username: username,
                email: isFree ? address : nil,
                appleSubject: user,
                displayName: shown.isEmpty ? username : shown
            )
            state.add(account)
            state.log.append(.signedUp(userID: id))
            return account
        }
        return session(of: account, visit)
    }

    // `{refresh_token}` → `{access_token, refresh_token}`
    func refresh(_ visit: NovaVisit) throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let sent = fields.text("refresh_token", length: 1...4096)
        try fields.check()
        let now = ContinuousClock.now
        let pair: Sessions.Pair
        switch withState({ $0.sessions.use(sent, at: now) }) {
        case .current(let user, let family):
            let access = accessToken(for: user, family: family)
            let next = withState { $0.sessions.rotate(family, sent, access: access, at: now) }
            guard let next else { throw .refreshToken }
            pair = next
            note(.refreshed(userID: user))
        case .forgiven(let user, let given):
            pair = given
            note(.graceGiven(userID: user))
        case .reused(let user):
            note(.reuseRefused(userID: user))
            throw .refreshToken
        case .unknown: throw .refreshToken
        }
        return NovaReply([
            "access_token": .string(pair.access), "refresh_token": .string(pair.refresh),
            "token_type": "Bearer", "expires_in": .integer(project.tokenLifetime),
        ])
    }

    // → 204
    func signOut(_ visit: NovaVisit, _ caller: Caller) throws(NovaRefusal) -> NovaReply {
        try visit.noFields()
        withState { state in
            state.sessions.end(caller.family)
            state.log.append(.signedOut(userID: caller.userID))
        }
        return .done
    }

    private func session(of account: Account, _ visit: NovaVisit, status: Int = 200) -> NovaReply {
        let tokens = makeTokens(for: account.id)
        let writer = writer(for: account.id, visit)
        return NovaReply(
            [
                "access_token": .string(tokens.access), "refresh_token": .string(tokens.refresh),
                "token_type": "Bearer", "expires_in": .integer(project.tokenLifetime),
                "user": writer.user(account, hasCounts: true),
            ],
            status: status
        )
    }

    /// Counts a call against a limit.
    ///
    /// - Throws: 429 where there were enough already.
    func count(_ name: String, _ rate: NovaProject.Rate?) throws(NovaRefusal) {
        guard let rate, let seconds = withState({ $0.rates.count(name, rate, at: .now) }) else { return }
        throw .tooMany(seconds: seconds)
    }

    private static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !text.contains(where: \.isWhitespace)
    }
}
