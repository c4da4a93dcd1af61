import Foundation
public import GeminiAPI
import ServiceClient
public import Services
public import Transport

/// Makes ephemeral tokens, with a key that stays where this runs.
///
/// The service knows them in `v1alpha` alone, whatever the version of the endpoint.
///
/// Source: ai.google.dev/gemini-api/docs/ephemeral-tokens, and the Python SDK google-genai 3.4.0, `tokens.py`.
public struct GeminiTokens: Sendable {
    private let requests: GeminiRequests

    /// Makes a client whose key is asked for at each call; see ``GeminiChatModel``.
    public init(
        client: any HTTPClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiRESTOptions = GeminiRESTOptions(),
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        var endpoint = endpoint
        endpoint.version = "v1alpha"
        requests = GeminiRequests(client: client, endpoint: endpoint, options: options, key: key)
    }

    /// Makes a token.
    ///
    /// - Throws: Any `ChatModelError`; `rejected` for terms that cannot be written down or that the service does not accept.
    public func make(
        _ terms: EphemeralToken.Terms = EphemeralToken.Terms()
    ) async throws(ChatModelError) -> EphemeralToken {
        let call = try requests.call("make a token")
        // A token that nobody knows of harms nobody.
        let request = try call.request("/auth_tokens", sending: Self.document(terms, at: Date()))
        let name = try await requests.document(request, call, as: Made.self).name
        let token = Secret(name)
        guard name.hasPrefix("auth_tokens/"), name.utf8.count <= 4096, token.isHeaderValue else {
            throw call.error(.malformed, "an answer without a token", status: 200)
        }
        return EphemeralToken(secret: token)
    }

    private struct Made: Decodable {
        let name: String
    }

    private static func document(_ terms: EphemeralToken.Terms, at now: Date) -> StructuredValue {
        var setup: StructuredValue?
        var mask: StructuredValue?
        switch terms.lock {
        case .nothing: break
        case .everything(let configuration):
            setup = Self.setup(configuration, isWhole: true)
        case .only(let configuration):
            let fields = Self.setup(configuration, isWhole: false)
            setup = fields
            mask = .text(Self.paths(of: fields).joined(separator: ","))
        }
        return .fields([
            "uses": terms.uses.map { .integer($0) },
            "expireTime": terms.life.map { .text(timestamp(now, after: $0)) },
            "newSessionExpireTime": terms.opening.map { .text(timestamp(now, after: $0)) },
            "bidiGenerateContentSetup": setup,
            "fieldMask": mask,
        ])
    }

    /// A setup for sessions that do not exist yet, and so go on from none.
    private static func setup(_ configuration: LiveConfiguration, isWhole: Bool) -> StructuredValue {
        var configuration = configuration
        configuration.resumption = nil
        return LiveSetup.document(configuration, asksForHandles: isWhole, compressesContext: isWhole)
    }

    /// The two uppermost levels of a setup, which Google's clients lock.
    private static func paths(of setup: StructuredValue) -> [String] {
        guard case .object(let members) = setup else { return [] }
        return members.sorted { $0.key < $1.key }.flatMap { name, value -> [String] in
            guard case .object(let inner) = value, !inner.isEmpty else { return [name] }
            return inner.keys.sorted().map { "\(name).\($0)" }
        }
    }

    private static func timestamp(_ now: Date, after duration: Duration) -> String {
        (now + duration / .seconds(1)).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}
