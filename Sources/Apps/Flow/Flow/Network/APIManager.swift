internal import Concurrency
internal import Foundation
public import ServiceClient
public import Services
public import Transport

/// The one way to the service: every call of the app goes through here.
///
/// Each call but that for a token carries a token, which is asked for once however many calls wait for it.
public actor APIManager {
    /// What the client's secret is called in the store of secrets.
    public static let clientSecretName: String = "flow.clientSecret"
    /// What the token is called there.
    public static let tokenName: String = "flow.token"

    private let client: ServiceClient
    private let tokens: BearerTokens

    /// Makes a way to the service; nothing is sent.
    ///
    /// - Parameters:
    ///   - http: Makes the requests.
    ///   - clientID: The client that tokens are for.
    ///   - secrets: Has the client's secret under ``clientSecretName``, and keeps the token.
    ///   - address: Where the service is; asked before each request.
    public init(
        _ http: any HTTPClient,
        clientID: String,
        secrets: any SecretStore,
        address: @escaping @Sendable () -> ServiceAddress?
    ) {
        let open = ServiceClient(http, policy: .once, address: address)
        tokens = BearerTokens(in: secrets, named: Self.tokenName) { _ throws(ServiceFailure) in
            let secret: Secret?
            do { secret = try secrets.secret(named: Self.clientSecretName) } catch {
                throw ServiceFailure(
                    .notConfigured,
                    operation: "ask for a token",
                    peer: "",
                    detail: "\(error)"
                )
            }
            guard let secret else {
                throw ServiceFailure(
                    .notConfigured,
                    operation: "ask for a token",
                    peer: "",
                    detail: "there is no client secret"
                )
            }
            let request = TokenRequest(clientId: clientID, clientSecret: secret)
            let call = try Call.post("/Auth/GetToken", request)
            let answer: TokenResponse = try await open.send(call)
            return BearerToken(Secret(answer.token), expiry: answer.expiry)
        }
        client = ServiceClient(http, policy: .once, tokens: tokens, address: address)
    }

    /// A token that is not expired: the present one, or one that is asked for now.
    ///
    /// - Throws: ``ResponseErrorHandler`` or ``FlowUnavailable``, to all that wait for the same answer.
    public func getValidToken() async throws -> BearerToken {
        do throws(ServiceFailure) { return try await tokens.valid() } catch { throw Self.error(error) }
    }

    /// Sends a document, and reads the answer.
    ///
    /// - Throws: ``ResponseErrorHandler`` where the service says what is wrong, ``FlowUnavailable`` where it says nothing, `CancellationError`.
    func post<Reply: Decodable & Sendable>(
        _ path: String,
        _ document: some Encodable & Sendable,
        as type: Reply.Type = Reply.self
    ) async throws -> Reply {
        let answer: WholeAnswer
        do throws(ServiceFailure) {
            answer = try await client.answer(to: try Call.post(path, document))
        } catch { throw Self.error(error) }
        let status = answer.status
        if let refusal = ResponseErrorHandler(status: status, body: answer.body) { throw refusal }
        guard let reply = try? JSONDecoder().decode(type, from: Data(answer.body)) else {
            throw ResponseErrorHandler.generic(status)
        }
        return reply
    }

    /// What a failure means for the app.
    private static func error(_ failure: ServiceFailure) -> any Error {
        switch failure.code {
        case .cancelled: CancellationError()
        // A status of 200 with a body that is none of the API's, too.
        case .refused, .malformed:
            failure.status.flatMap { ResponseErrorHandler(status: $0, body: failure.body) ?? .generic($0) }
                ?? FlowUnavailable(failure: failure)
        default: FlowUnavailable(failure: failure)
        }
    }
}
