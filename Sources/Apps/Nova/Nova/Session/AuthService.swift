internal import Concurrency
internal import Foundation
internal import ServiceClient
internal import Services

/// Signs somebody in and out, and keeps their tokens fresh.
@MainActor
final class AuthService {
    /// What the session is called in the store of secrets: both tokens and whose they are, as one secret.
    nonisolated static let sessionName = "nova.session"
    /// What is kept there of an authorisation until Nova has it.
    private nonisolated static let appleName = "nova.apple"

    /// Whether somebody is signed in, as far as is known.
    nonisolated let isAuthenticated: Published<Bool>
    /// What calls carry.
    nonisolated let tokens: BearerTokens

    private let repository: AuthRepository
    private let secrets: any SecretStore
    private let identities: any IdentityTokenProvider
    /// Counts sign-ins and sign-outs: an attempt that ends after a later one signs nobody in.
    private var era = 0

    init(
        _ repository: AuthRepository,
        secrets: any SecretStore,
        identities: any IdentityTokenProvider
    ) {
        (self.repository, self.secrets, self.identities) = (repository, secrets, identities)
        tokens = BearerTokens(in: secrets, named: Self.sessionName, refusals: [400, 401]) {
            last throws(ServiceFailure) in
            try await repository.refresh(last)
        }
        isAuthenticated = tokens.isSignedIn
    }

    /// The person whose tokens are kept; `nil` where nobody is signed in.
    func keptUserID() async -> String? {
        guard let token = try? await tokens.kept() else { return nil }
        guard let holder = token.holder, token.refresh != nil else {
            try? await tokens.signOut()
            return nil
        }
        return holder
    }

    /// Signs in; nothing is kept where it throws.
    ///
    /// - Throws: ``NovaError``, `CancellationError`.
    func signIn(email: String, password: Secret) async throws -> User {
        try await begin { try await self.repository.signIn(email: email, password: password) }
    }

    /// Makes an account, and signs in.
    ///
    /// - Throws: As ``signIn(email:password:)``.
    func signUp(username: String, email: String, password: Secret) async throws -> User {
        try await begin {
            try await self.repository.signUp(username: username, email: email, password: password)
        }
    }

    /// Signs in with an identity token.
    ///
    /// Name and e-mail address are given once: they are kept until Nova has them.
    ///
    /// - Returns: `nil` where the person has cancelled, or there is no token: nothing was sent.
    /// - Throws: As ``signIn(email:password:)``.
    func signInWithApple() async throws -> User? {
        let nonce = UUID().uuidString
        guard var authorization = try await identities.authorize(nonce: nonce) else { return nil }
        guard let token = authorization.identityToken else {
            throw NovaError.unavailable("There is no identity token. Sign in with your e-mail address.")
        }
        authorization = kept(authorization)
        let user = try await begin {
            try await self.repository.signInWithApple(authorization, token: token, nonce: nonce)
        }
        try? secrets.set(nil, named: Self.appleName)
        return user
    }

    private func kept(_ authorization: AppleAuthorization) -> AppleAuthorization {
        let kept = ((try? secrets.secret(named: Self.appleName)) ?? nil)
            .flatMap { try? JSONDecoder().decode([String: String].self, from: Data($0.reveal().utf8)) }
        var all = authorization
        if let kept, kept["user"] == all.user {
            all.email = all.email ?? kept["email"]
            all.fullName = all.fullName ?? kept["fullName"]
        }
        var fields = ["user": all.user]
        (fields["email"], fields["fullName"]) = (all.email, all.fullName)
        if fields.count > 1, let data = try? JSONEncoder().encode(fields) {
            try? secrets.set(Secret(String(decoding: data, as: UTF8.self)), named: Self.appleName)
        }
        return all
    }

    private func begin(_ signIn: () async throws -> SignedIn) async throws -> User {
        era += 1
        let begun = era
        let answer = try await signIn()
        guard begun == era else { throw CancellationError() }
        let token = AuthRepository.bearer(answer.tokens, of: answer.user.id)
        guard token.value.isHeaderValue, token.refresh?.isHeaderValue == true else {
            throw NovaError.noConnection
        }
        await tokens.signIn(token)
        // A session that the next launch does not find is none.
        guard tokens.isKept.value else {
            try? await tokens.signOut()
            throw NovaError.notKept
        }
        return answer.user
    }

    /// The end of a session on this device.
    struct SignOut: Sendable {
        /// Whether the store of secrets has forgotten all of it: what it has not, the next launch finds.
        var isForgotten: Bool
        /// Tells Nova of it; to be done when nothing is sent for the person any more.
        var tell: @Sendable () async -> Void
    }

    /// Ends the session: the tokens are forgotten, whatever Nova says to that.
    func signOut() async -> SignOut {
        era += 1
        let token = try? await tokens.kept()
        var isForgotten = true
        do { try await tokens.signOut() } catch { isForgotten = false }
        do { try secrets.set(nil, named: Self.appleName) } catch { isForgotten = false }
        return SignOut(isForgotten: isForgotten) { [repository] in
            if let token { await repository.signOut(token) }
        }
    }
}
