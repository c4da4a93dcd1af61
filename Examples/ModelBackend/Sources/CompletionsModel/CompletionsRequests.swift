import ServiceClient
import Services
import Transport

/// Sends requests with a key that is asked for at each call.
struct CompletionsRequests: Sendable {
    private let service: ServiceClient
    private let address: String
    private let key: @Sendable () throws(SecretStoreError) -> Secret?

    init(
        client: any HTTPClient,
        address: String,
        policy: CallPolicy,
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        service = ServiceClient(client, policy: policy) { ServiceAddress(address) }
        self.address = address
        self.key = key
    }

    /// Begins a call.
    func call(_ operation: String) throws(ChatModelError) -> CompletionsCall {
        func failed(_ code: ChatModelError.Code, _ detail: String) -> ChatModelError {
            ChatModelError(code, operation: operation, peer: address, detail: detail)
        }
        let found: Secret?
        do { found = try key() } catch { throw failed(.missingKey, "\(error)") }
        guard found?.isHeaderValue ?? true else {
            throw failed(.invalidKey, "the key holds characters that no key has")
        }
        return CompletionsCall(operation: operation, peer: address, key: found)
    }

    /// Asks for a whole answer.
    func answer(
        to document: RequestDocument,
        _ call: CompletionsCall
    ) async throws(ChatModelError) -> AnswerDocument {
        let question = try self.question(document, call)
        let bytes: [UInt8]
        do throws(ServiceFailure) { bytes = try await service.answer(to: question).body } catch {
            throw call.error(error)
        }
        guard let document = try? AnswerDocument(json: bytes) else {
            throw call.error(
                .malformed,
                "\(bytes.count) bytes that are no answer of the service",
                status: 200
            )
        }
        if document.error != nil { throw call.refusal(status: 200, bytes) }
        return document
    }

    /// Asks for an answer that comes in pieces.
    func events(
        of document: RequestDocument,
        _ call: CompletionsCall
    ) async throws(ChatModelError) -> sending ServiceEvents {
        let question = try self.question(document, call)
        do throws(ServiceFailure) { return try await service.events(of: question) } catch {
            throw call.error(error)
        }
    }

    private func question(
        _ document: RequestDocument,
        _ call: CompletionsCall
    ) throws(ChatModelError) -> Call {
        var question: Call
        do throws(ServiceFailure) { question = try .post("/v1/chat/completions", document) } catch {
            throw call.error(.rejected, "the request cannot be written as JSON")
        }
        question.repeats = .whenNothingWasDone
        if let key = call.key { question.carry(key, in: "Authorization", scheme: "Bearer") }
        return question
    }
}
