import GeminiAPI
import ServiceClient
import Services
import Transport

/// Sends requests to the service with a key that is asked for at each call.
struct GeminiRequests: Sendable {
    let endpoint: GeminiEndpoint
    let options: GeminiRESTOptions
    private let service: ServiceClient
    private let key: @Sendable () throws(SecretStoreError) -> Secret?

    init(
        client: any HTTPClient,
        endpoint: GeminiEndpoint,
        options: GeminiRESTOptions,
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        self.endpoint = endpoint
        self.options = options
        self.key = key
        let policy = CallPolicy(
            retries: options.retries,
            limits: options.limits,
            deadline: options.deadline,
            answerBytes: options.answerBytes,
            eventBytes: options.eventBytes
        )
        service = ServiceClient(client, policy: policy, wait: RetryInfo.delay(in:)) {
            ServiceAddress(endpoint.restAddress)
        }
    }

    /// Begins a call.
    ///
    /// - Parameters:
    ///   - operation: What is tried.
    ///   - end: When it ends at the latest; each of its requests keeps the time of the options too.
    /// - Throws: `missingKey`, `invalidKey`.
    func call(
        _ operation: String,
        until end: ContinuousClock.Instant? = nil
    ) throws(ChatModelError) -> GeminiCall {
        func unusable(_ code: ChatModelError.Code, _ detail: String) -> ChatModelError {
            ChatModelError(code, operation: operation, peer: endpoint.restAddress, detail: detail)
        }
        let found: Secret?
        do { found = try key() } catch { throw unusable(.missingKey, "\(error)") }
        guard let found, !found.reveal().isEmpty else { throw unusable(.missingKey, "") }
        guard found.isHeaderValue else {
            throw unusable(.invalidKey, "the key holds characters that no key has")
        }
        return GeminiCall(operation: operation, peer: endpoint.restAddress, key: found, end: end)
    }

    /// Sends a request as often as it may be sent and within the time of the call, and reads its answer.
    ///
    /// - Throws: The error of the last try.
    func send(_ request: Call, _ call: GeminiCall) async throws(ChatModelError) -> WholeAnswer {
        do throws(ServiceFailure) { return try await service.answer(to: request) } catch {
            throw call.error(error)
        }
    }

    /// Sends a request as ``send(_:_:)`` does, and reads its answer as a document.
    ///
    /// - Throws: `malformed` for anything else than `Document`.
    func document<Document: Decodable>(
        _ request: Call,
        _ call: GeminiCall,
        as type: Document.Type = Document.self
    ) async throws(ChatModelError) -> Document {
        try await send(request, call).document(call)
    }

    /// Sends a request that is answered with events.
    func events(_ request: Call, _ call: GeminiCall) async throws(ChatModelError) -> sending ServiceEvents {
        do throws(ServiceFailure) { return try await service.events(of: request) } catch {
            throw call.error(error)
        }
    }
}

extension WholeAnswer {
    /// - Throws: `malformed` for anything else than `Document`.
    func document<Document: Decodable>(_ call: GeminiCall) throws(ChatModelError) -> Document {
        do { return try JSONDocument.read(body, as: Document.self) } catch {
            throw call.error(.malformed, "\(body.count) bytes that are no answer of the service")
        }
    }
}
