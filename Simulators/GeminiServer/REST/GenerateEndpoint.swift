import HTTPTypes
import PeerKit
import Transport

/// `generateContent`, `streamGenerateContent` and `countTokens` of a model.
struct GenerateEndpoint: Sendable {
    /// What is asked of a model, as the path says it.
    enum Method: String {
        case generateContent, streamGenerateContent, countTokens

        /// The name under which models list it.
        var listed: String { self == .streamGenerateContent ? "generateContent" : rawValue }
    }

    let settings: GeminiServerSettings
    let script: GeminiScript
    let reader: ContentReader
    let faults: PeerFaults
    let read: ReadBody

    /// Answers a request whose key has been accepted.
    ///
    /// - Parameter call: The last part of the path, such as `gemini-2.5-flash:generateContent`.
    func answer(_ call: String, _ route: Route, _ body: HTTPBody, version: String) async -> PeerAnswer {
        let parts = call.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let method = Method(rawValue: String(parts[1])) else {
            return .notFound("No such method.")
        }
        let form: StreamForm = route.query["alt"] == "sse" || route.query["$alt"] == "sse" ? .events : .array
        do throws(GeminiFailure) {
            let model = String(parts[0])
            guard settings.models.contains(where: { $0.id == model && $0.methods.contains(method.listed) })
            else {
                throw GeminiFailure(
                    404,
                    "NOT_FOUND",
                    GeminiModel.unknownText("models/\(model)", version: version, method: method.rawValue)
                )
            }
            if method != .countTokens { try await strike(model) }
            let json = try await document(body)
            switch method {
            case .countTokens: return try count(json)
            case .generateContent: return try await generate(json, model)
            case .streamGenerateContent: return try await stream(json, model, form)
            }
        } catch {
            // In a stream that is an array, an error is its only element.
            guard method == .streamGenerateContent, form == .array else { return error.answer }
            return .json([error.json], status: error.code)
        }
    }

    /// Passes the fault points of a request.
    private func strike(_ model: String) async throws(GeminiFailure) {
        if let fault = faults.strike(GenerateFaultPoints.quota) {
            throw .quota(retryDelay: fault.time("retryDelay"), model: model)
        }
        if faults.strike(GenerateFaultPoints.overloaded) != nil { throw .unavailable }
        if let fault = faults.strike(GenerateFaultPoints.slowStart) {
            await Self.rest(fault.time("seconds"))
        }
    }

    private func document(_ body: HTTPBody) async throws(GeminiFailure) -> JSONValue {
        let bytes = try await read.bytes(of: body, upTo: settings.largestRequest)
        let json: JSONValue
        do throws(JSONMalformed) { json = try JSONValue(json: bytes) } catch { throw .notJSON }
        read.keep(json)
        return json
    }

    private static func read(_ json: JSONValue, _ shape: MessageShape) throws(GeminiFailure) -> JSONValue {
        do throws(ShapeMismatch) { return try shape.read(json) } catch { throw GeminiFailure(error) }
    }

    // MARK: Methods

    private func count(_ json: JSONValue) throws(GeminiFailure) -> PeerAnswer {
        let fields = try Self.read(json, GenerateRequest.countShape)
        let whole = fields["generate_content_request"]
        guard whole == nil || fields["contents"] == nil else {
            throw .invalid("Only one of contents and generate_content_request can be set.")
        }
        let tokens = try GenerateRequest(whole ?? fields, reader).tokens
        var answer: [String: JSONValue] = ["totalTokens": .integer(tokens.total)]
        answer["promptTokensDetails"] = tokens.details
        return .json(.object(answer))
    }

    private func generate(_ json: JSONValue, _ model: String) async throws(GeminiFailure) -> PeerAnswer {
        let answer = try self.answer(json, model)
        if case .failed(let failure) = answer.generation.ending {
            await Self.rest(answer.generation.steps.reduce(.zero) { $0 + $1.delay })
            throw failure
        }
        await Self.rest(answer.generation.steps.reduce(.zero) { $0 + $1.delay })
        return .json(answer.whole)
    }

    private func stream(
        _ json: JSONValue,
        _ model: String,
        _ form: StreamForm
    ) async throws(GeminiFailure) -> PeerAnswer {
        let answer = try self.answer(json, model)
        var failure: GeminiFailure?
        if case .failed(let end) = answer.generation.ending { failure = end }
        if let failure, answer.generation.steps.isEmpty { throw failure }
        // The head goes out with the first words.
        await Self.rest(answer.delay(ofEvent: 0))
        return PeerAnswer(
            status: 200,
            headers: [.contentType: form.contentType],
            body: EventStream(form, answer, failure: failure, faults: faults).body
        )
    }

    private func answer(_ json: JSONValue, _ model: String) throws(GeminiFailure) -> GenerateAnswer {
        let request = try GenerateRequest(Self.read(json, GenerateRequest.shape), reader)
        let reply = script.brain.reply(to: request.turn(model: model))
        return GenerateAnswer(Generation(reply, for: request), to: request, model: model)
    }

    private static func rest(_ duration: Duration) async {
        // A client that has gone is not answered, however soon.
        if duration > .zero { try? await Task.sleep(for: duration) }
    }
}
