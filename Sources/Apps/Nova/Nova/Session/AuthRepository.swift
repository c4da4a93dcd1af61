internal import Concurrency
internal import Foundation
internal import ServiceClient
internal import Services
internal import Transport

/// The calls of Nova that open and end sessions; none of them carries a token of the app's session.
struct AuthRepository: Sendable {
    private let http: any HTTPClient
    private let address: @Sendable () -> ServiceAddress?

    init(_ http: any HTTPClient, address: @escaping @Sendable () -> ServiceAddress?) {
        (self.http, self.address) = (http, address)
    }

    /// `POST /auth/signin`.
    func signIn(email: String, password: Secret) async throws -> SignedIn {
        try await signIn("/auth/signin", ["email": email, "password": password.reveal()], repeats: .always)
    }

    /// `POST /auth/signup`.
    func signUp(username: String, email: String, password: Secret) async throws -> SignedIn {
        let fields = ["username": username, "email": email, "password": password.reveal()]
        return try await signIn("/auth/signup", fields, repeats: .whenNothingWasDone)
    }

    /// `POST /auth/apple`.
    func signInWithApple(
        _ authorization: AppleAuthorization,
        token: Secret,
        nonce: String
    ) async throws -> SignedIn {
        var fields = ["identity_token": token.reveal(), "user": authorization.user, "nonce": nonce]
        fields["email"] = authorization.email
        fields["full_name"] = authorization.fullName
        return try await signIn("/auth/apple", fields, repeats: .always)
    }

    private func signIn(
        _ path: String,
        _ fields: [String: String],
        repeats: Call.Repetition
    ) async throws -> SignedIn {
        do throws(ServiceFailure) {
            var call = try Call.post(path, fields)
            (call.isAuthorized, call.repeats) = (false, repeats)
            return try await APIClient.client(http, .nova, address: address).send(call)
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            guard error.status == 401 else { throw NovaError(error) }
            // Where no password was sent, none is wrong.
            throw fields["password"] == nil
                ? NovaError.unavailable("Nova does not accept this sign-in. Use your e-mail address instead.")
                : .wrongCredentials
        }
    }

    /// What a failure to renew a token says that it has tried.
    static let renewal = "POST /auth/refresh"

    /// `POST /auth/refresh`: both tokens are replaced.
    ///
    /// Not repeated where it may have taken effect, since a refresh token that is used again ends the session.
    func refresh(_ last: BearerToken?) async throws(ServiceFailure) -> BearerToken {
        guard let last, let token = last.refresh else {
            throw ServiceFailure(.signedOut, operation: "renew the token", peer: "", detail: "there is none")
        }
        var call = try Call.post("/auth/refresh", ["refresh_token": token.reveal()])
        (call.isAuthorized, call.repeats) = (false, .whenNothingWasDone)
        let pair: TokenPair = try await APIClient.client(http, .nova, address: address).send(call)
        return Self.bearer(pair, of: last.holder)
    }

    /// `POST /auth/signout` with a token; once, and whether it has helped is nobody's business.
    func signOut(_ token: BearerToken) async {
        guard var call = try? Call.post("/auth/signout", [String: String]()) else { return }
        call.isAuthorized = false
        call.carry(token.value, in: "Authorization", scheme: "Bearer")
        _ = try? await APIClient.client(http, .queued, address: address).answer(to: call)
    }

    /// Tokens as calls carry them.
    ///
    /// Their end is Nova's to say, by refusing them: this device's clock may be wrong.
    static func bearer(_ pair: TokenPair, of userID: String?) -> BearerToken {
        BearerToken(
            Secret(pair.accessToken),
            expiry: Date(timeIntervalSince1970: endless),
            refresh: Secret(pair.refreshToken),
            holder: userID
        )
    }

    /// The year 5138, in seconds since 1970.
    private static let endless = 1e11
}
