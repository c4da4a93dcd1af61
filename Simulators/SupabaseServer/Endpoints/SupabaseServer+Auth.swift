import Foundation
import HTTPTypes
import PeerKit
import Transport

/// Sign-in with a password, refresh, sign-out and users, as Supabase Auth (GoTrue) has them under `/auth/v1`.
///
/// Sources: supabase/auth `internal/api/token.go`, `auth.go`, `logout.go`, `signup.go`, `user.go`, `admin.go`.
extension SupabaseServer {
    func authenticate(_ call: Call) async -> PeerAnswer {
        // Clients name the day whose forms they understand; days compare like texts.
        let version = call.request.headerFields.value("x-supabase-api-version")
        let isDated = version.map { $0 >= "2024-01-01" } ?? false
        var answer: PeerAnswer
        do throws(AuthRefusal) {
            answer = try await troubledAuthentication(call)
        } catch {
            answer = error.answer(isDated: isDated)
        }
        if isDated, let version { answer.headers.set("x-supabase-api-version", version) }
        return answer
    }

    private func troubledAuthentication(_ call: Call) async throws(AuthRefusal) -> PeerAnswer {
        guard case .found(let route, _) = AuthRoute.all.match(call.request) else {
            return PeerAnswer(
                status: 404,
                headers: [.contentType: "text/plain; charset=utf-8"],
                body: .text("404 page not found\n")
            )
        }
        if let fault = faults.strike(StorageFaultPoints.authRefused) {
            throw AuthRefusal(fault.integer("status"), "unexpected_failure", "Internal Server Error")
        }
        if faults.strike(StorageFaultPoints.authEnded) != nil {
            _ = try people.change { state throws(AuthRefusal) in state.end { _ in true } }
        }
        let reply = try await answer(route, call)
        guard let fault = faults.strike(StorageFaultPoints.authAnswerLost) else { return reply }
        try? await Task.sleep(for: fault.time("silence"))
        return .page(status: 504)
    }

    private func answer(_ route: AuthRoute, _ call: Call) async throws(AuthRefusal) -> PeerAnswer {
        switch route {
        case .token: try await giveToken(call)
        case .user: .json(try speaker(call).user.row)
        case .update: try await updateUser(call)
        case .logout: try logOut(call)
        case .signUp: try await signUp(call)
        case .addUser: try await addUser(call)
        case .health:
            .json([
                "version": "v2.180.0", "name": "GoTrue",
                "description": "GoTrue is a user registration and authentication API",
            ])
        case .settings: .json(settings)
        // Tokens are signed with a secret, which has no public part.
        case .keys: .json(["keys": []])
        }
    }

    private var settings: JSONValue {
        .object([
            "external": ["email": true, "phone": false, "anonymous_users": false],
            "disable_signup": .bool(!project.signIn.allowsSignUp),
            "mailer_autoconfirm": .bool(project.signIn.confirmsAtOnce), "phone_autoconfirm": false,
            "sms_provider": "", "mfa_enabled": false, "saml_enabled": false,
        ])
    }

    // MARK: Tokens

    private func giveToken(_ call: Call) async throws(AuthRefusal) -> PeerAnswer {
        let body = try await document(call)
        switch RequestTarget(call.request)["grant_type"] {
        case "password": return try signIn(body, call)
        case "refresh_token": return try refresh(body, call)
        default: throw .grantType
        }
    }

    private func signIn(_ body: [String: JSONValue], _ call: Call) throws(AuthRefusal) -> PeerAnswer {
        guard let text = body["email"]?.string else { throw .invalid("missing email or phone") }
        let password = body["password"]?.string ?? ""
        let email = AuthUser.email(text)
        let now = Date()
        let (user, session) = try people.change { state throws(AuthRefusal) in
            guard let email, let user = state.user(email: email) else { throw .credentials }
            if user.isBanned { throw .banned }
            guard user.has(password: password) else { throw .credentials }
            guard user.confirmedAt != nil else { throw .unconfirmed }
            let session = state.begin(user.id, now: now)
            return (state.users[user.id] ?? user, session)
        }
        return .json(sessionDocument(user, session, token: session.newest, now: now, call))
    }

    private func refresh(_ body: [String: JSONValue], _ call: Call) throws(AuthRefusal) -> PeerAnswer {
        guard let token = body["refresh_token"]?.string, !token.isEmpty else {
            throw .invalid("refresh_token required")
        }
        let now = Date()
        let settings = project.signIn
        // A refusal may change the state, too.
        let rotation = try people.change { state throws(AuthRefusal) in
            state.rotate(
                token,
                now: now,
                reuse: settings.reuseInterval,
                lifetime: settings.sessionLifetime
            )
        }
        switch rotation {
        case .refused(let refusal): throw refusal
        case .given(let next, let session, let user):
            return .json(sessionDocument(user, session, token: next, now: now, call))
        }
    }

    private func sessionDocument(
        _ user: AuthUser,
        _ session: AuthSession,
        token: String,
        now: Date,
        _ call: Call
    ) -> JSONValue {
        let start = Int(now.timeIntervalSince1970)
        let lifetime = Int(project.signIn.tokenLifetime.seconds)
        let signedIn = Int(session.createdAt.timeIntervalSince1970)
        let issuer = "\(call.request.scheme ?? "http")://\(call.request.authority ?? "localhost")/auth/v1"
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "iat": .integer(start), "exp": .integer(start + lifetime), "aal": "aal1",
            "amr": [["method": "password", "timestamp": .integer(signedIn)]],
            "session_id": .string(session.id),
        ]
        return .object([
            "access_token": .string(tokens.sign(claims.merging(user.claims) { first, _ in first })),
            "token_type": "bearer", "expires_in": .integer(lifetime),
            "expires_at": .integer(start + lifetime), "refresh_token": .string(token), "user": user.row,
        ])
    }

    // MARK: Who speaks

    private func claims(_ call: Call) throws(AuthRefusal) -> [String: JSONValue] {
        let words = (call.request.headerFields[.authorization] ?? "").split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer" else { throw .noBearer }
        do { return try tokens.verify(String(words[1]), now: Date()) } catch { throw .badToken(error) }
    }

    /// The user of a request, and the session if its token names one, which must not have ended.
    private func speaker(_ call: Call) throws(AuthRefusal) -> (user: AuthUser, session: String?) {
        let claims = try claims(call)
        guard let subject = claims["sub"]?.string, !subject.isEmpty else {
            throw AuthRefusal(403, "bad_jwt", "invalid claim: missing sub claim")
        }
        return try people.read { state throws(AuthRefusal) in
            guard let user = state.users[subject] else { throw .unknownUser }
            guard let id = claims["session_id"]?.string else { return (user, nil) }
            guard state.session(id)?.userID == user.id else { throw .unknownSession }
            return (user, id)
        }
    }

    private func logOut(_ call: Call) throws(AuthRefusal) -> PeerAnswer {
        let (user, session) = try speaker(call)
        let scope = RequestTarget(call.request)["scope"] ?? ""
        guard ["", "global", "local", "others"].contains(scope) else {
            throw .invalid("Unsupported logout scope \"\(scope)\"")
        }
        try people.change { state throws(AuthRefusal) in
            state.end { candidate in
                guard candidate.userID == user.id else { return false }
                guard let session else { return true }
                return switch scope {
                case "local": candidate.id == session
                case "others": candidate.id != session
                default: true
                }
            }
        }
        return PeerAnswer(status: 204, body: .empty)
    }

    // MARK: Users

    private func signUp(_ call: Call) async throws(AuthRefusal) -> PeerAnswer {
        let body = try await document(call)
        guard project.signIn.allowsSignUp else { throw .noSignUps }
        let new = try user(from: body, isConfirmed: project.signIn.confirmsAtOnce)
        let now = Date()
        if !new.isConfirmed {
            // Who signs up twice is not told that the address is known.
            let user = try people.change { state throws(AuthRefusal) in
                guard state.user(email: new.email) == nil else { return new.user(now: now) }
                let user = new.user(now: now)
                try state.add(user)
                return user
            }
            return .json(user.row)
        }
        let (user, session) = try people.change { state throws(AuthRefusal) in
            guard state.user(email: new.email) == nil else { throw .knownUser }
            let user = new.user(now: now)
            try state.add(user)
            let session = state.begin(user.id, now: now)
            return (state.users[user.id] ?? user, session)
        }
        return .json(sessionDocument(user, session, token: session.newest, now: now, call))
    }

    private func addUser(_ call: Call) async throws(AuthRefusal) -> PeerAnswer {
        guard try claims(call)["role"]?.string == StorageRole.service.rawValue else { throw .notAdmin }
        let body = try await document(call)
        let new = try user(from: body, isConfirmed: body["email_confirm"]?.bool ?? false)
        let user = new.user(now: Date())
        try people.change { state throws(AuthRefusal) in
            guard state.user(email: new.email) == nil else { throw .knownEmail }
            try state.add(user)
        }
        return .json(user.row)
    }

    /// What a request wants a user to be.
    private struct NewUser: Sendable {
        let email: String
        let password: String
        let isConfirmed: Bool
        let metadata: [String: JSONValue]

        func user(now: Date) -> AuthUser {
            AuthUser(
                id: UUID().uuidString.lowercased(),
                email: email,
                password: password,
                isConfirmed: isConfirmed,
                metadata: metadata,
                now: now
            )
        }
    }

    private func user(
        from body: [String: JSONValue],
        isConfirmed: Bool
    ) throws(AuthRefusal) -> NewUser {
        guard let password = body["password"]?.string, !password.isEmpty else {
            throw .invalid("Signup requires a valid password")
        }
        guard let email = AuthUser.email(body["email"]?.string ?? "") else {
            throw .invalid("Unable to validate email address: invalid format")
        }
        try check(password: password)
        let metadata = (body["data"] ?? body["user_metadata"])?.object ?? [:]
        return NewUser(email: email, password: password, isConfirmed: isConfirmed, metadata: metadata)
    }

    private func check(password: String) throws(AuthRefusal) {
        let least = project.signIn.passwordLength
        guard password.count >= least else { throw .weakPassword(least) }
        guard password.utf8.count <= 72 else {
            throw .invalid("Password cannot be longer than 72 characters")
        }
    }

    private func updateUser(_ call: Call) async throws(AuthRefusal) -> PeerAnswer {
        let (known, session) = try speaker(call)
        let body = try await document(call)
        let password = body["password"]?.string
        if let password { try check(password: password) }
        var email: String?
        if let text = body["email"]?.string, !text.isEmpty {
            guard let address = AuthUser.email(text) else {
                throw .invalid("Unable to validate email address: invalid format")
            }
            email = address
        }
        let now = Date()
        let user = try people.change { state throws(AuthRefusal) in
            guard var user = state.users[known.id] else { throw .unknownUser }
            if let email, email != user.email {
                guard state.user(email: email) == nil else { throw .knownEmail }
                user.email = email
            }
            if let password {
                guard !user.has(password: password) else { throw .samePassword }
                user.set(password: password)
                // Whoever knew the old one is signed out.
                state.end { $0.userID == user.id && $0.id != session }
            }
            for (name, value) in body["data"]?.object ?? [:] {
                if value.isNull {
                    user.metadata.removeValue(forKey: name)
                } else {
                    user.metadata[name] = value
                }
            }
            user.updatedAt = now
            state.replace(user)
            return user
        }
        return .json(user.row)
    }

    /// The JSON object in a request's body; an absent body counts as an empty one.
    private func document(_ call: Call) async throws(AuthRefusal) -> [String: JSONValue] {
        let bytes: [UInt8]
        do { bytes = try await call.body.collect(upTo: 1 << 20) } catch {
            throw error.code == .tooLarge
                ? AuthRefusal(413, "request_too_large", "Request body too large") : .badJSON
        }
        if bytes.isEmpty { return [:] }
        guard let object = (try? JSONValue(json: bytes))?.object else { throw .badJSON }
        return object
    }
}
