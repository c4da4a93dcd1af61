internal import Concurrency
internal import Foundation
public import ServiceClient
public import Services
public import Transport

/// Signs in at a project, and provides a token of its user for every call to its storage.
///
/// The tokens are kept in a store of secrets, and renewed by their refresh token. Only where there is none, or the service does not take it any
/// more, credentials are asked for. The answer to a refresh may be lost: the service gives it again to who asks with the same token.
/// Source: supabase/auth `internal/api/token.go`.
public enum SupabaseSignIn {
    /// What tokens are called in a store of secrets.
    public static let tokenName: String = "supabase.session"

    /// Tokens for ``SupabaseObjectStore/init(client:tokens:configuration:)``.
    ///
    /// - Parameters:
    ///   - client: Makes the requests.
    ///   - secrets: Where the tokens are kept, under ``tokenName``.
    ///   - leeway: How long before its end a token is renewed: as long as a request takes to arrive.
    ///   - configuration: Is asked where the project is, before each request.
    ///   - credentials: Is asked for what a person signs in with; `nil` where there is nobody to ask, and calls fail with `notConfigured`.
    public static func tokens(
        client: any HTTPClient,
        in secrets: any SecretStore,
        leeway: Duration = .seconds(30),
        configuration: @escaping @Sendable () throws(SecretStoreError) -> SupabaseConfiguration,
        credentials: @escaping @Sendable () async -> SupabaseCredentials?
    ) -> BearerTokens {
        BearerTokens(in: secrets, named: tokenName, leeway: leeway) { last throws(ServiceFailure) in
            let request = try SignInRequest(configuration, client)
            if let refresh = last?.refresh {
                do throws(ServiceFailure) { return try await request.refresh(refresh) } catch {
                    // Whoever asks may do it better, unless the service cannot be asked at all.
                    guard error.code == .refused, [400, 401, 403].contains(error.status ?? 0) else {
                        throw error
                    }
                }
            }
            guard let credentials = await credentials() else {
                throw ServiceFailure(.signedOut, operation: "sign in", peer: request.peer)
            }
            return try await request.signIn(credentials)
        }
    }
}

/// One request for tokens.
private struct SignInRequest {
    private let service: ServiceClient
    private let key: Secret
    let peer: String

    init(
        _ configuration: () throws(SecretStoreError) -> SupabaseConfiguration,
        _ client: any HTTPClient
    ) throws(ServiceFailure) {
        func unusable(_ detail: String) -> ServiceFailure {
            ServiceFailure(.notConfigured, operation: "sign in", peer: "", detail: detail)
        }
        let current: SupabaseConfiguration
        do { current = try configuration() } catch { throw unusable(error.description) }
        do {
            let endpoint = try StorageEndpoint(current)
            var policy = CallPolicy.once
            policy.limits = HTTPLimits(each: current.timeout)
            policy.deadline = current.timeout
            policy.answerBytes = 1 << 20
            (key, peer) = (endpoint.key, endpoint.project.description)
            service = ServiceClient(client, policy: policy) { endpoint.project }
        } catch {
            throw unusable(error.detail)
        }
    }

    func refresh(_ secret: Secret) async throws(ServiceFailure) -> BearerToken {
        try await token(by: "refresh_token", ["refresh_token": secret.reveal()])
    }

    func signIn(_ credentials: SupabaseCredentials) async throws(ServiceFailure) -> BearerToken {
        try await token(
            by: "password",
            ["email": credentials.email, "password": credentials.password.reveal()]
        )
    }

    private func token(
        by grant: String,
        _ document: [String: String]
    ) async throws(ServiceFailure) -> BearerToken {
        var call = try Call.post("/auth/v1/token?grant_type=\(grant)", document)
        call.set("x-supabase-api-version", "2024-01-01")
        call.carry(key, in: "apikey")
        call.carry(key, in: "Authorization", scheme: "Bearer")
        let session: Session = try await service.send(call)
        return BearerToken(
            Secret(session.access_token),
            // By our own clock: that of the service may go otherwise.
            expiry: Date() + TimeInterval(session.expires_in),
            refresh: Secret(session.refresh_token)
        )
    }

    private struct Session: Decodable {
        let access_token: String
        let refresh_token: String
        let expires_in: Int
    }
}
