import GeminiServer
import PeerKit

/// Puts a reply of a script together of the documents of an answer.
///
/// Source: ai.google.dev/api/generate-content; `google.rpc.Status` for errors.
struct RecordedAnswer {
    private var chunks: [GeminiReply.Chunk] = []
    private var ending: GeminiReply.Ending?

    /// The answer in the body of a whole response.
    ///
    /// - Returns: `nil` for a body that is none of the service's, or ends early.
    static func reply(of body: [UInt8], isEventStream: Bool, status: Int) -> GeminiReply? {
        var answer = RecordedAnswer()
        guard let documents = documents(in: body, isEventStream: isEventStream) else { return nil }
        for document in documents { answer.take(document, status: status) }
        return answer.reply
    }

    /// What was said; `nil` before its end.
    private var reply: GeminiReply? {
        // A script says nothing to a prompt that is blocked.
        if case .blocked? = ending { return ending.map { GeminiReply([], ending: $0) } }
        return ending.map { GeminiReply(chunks, ending: $0) }
    }

    private static func documents(in body: [UInt8], isEventStream: Bool) -> [JSONValue]? {
        guard isEventStream else {
            guard let document = try? JSONValue(json: body) else { return nil }
            // A stream that was not asked for as events is one array.
            return document.array ?? [document]
        }
        var documents: [JSONValue] = []
        var bare: [UInt8] = []
        for line in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if line.starts(with: Array("data:".utf8)) {
                guard let document = try? JSONValue(json: Array(line.dropFirst("data:".utf8.count))) else {
                    return nil
                }
                documents.append(document)
            } else {
                // An error in the middle of a stream comes without a field's name.
                bare += line
            }
        }
        if let document = try? JSONValue(json: bare) { documents += document.array ?? [document] }
        return documents
    }

    private mutating func take(_ document: JSONValue, status: Int) {
        if let error = document["error"] {
            ending = .failed(Self.failure(error, status: status))
            return
        }
        if let reason = document["promptFeedback"]?["blockReason"]?.string { ending = .blocked(reason) }
        guard let candidate = document["candidates"]?.array?.first else { return }
        for part in candidate["content"]?["parts"]?.array ?? [] { chunks += Self.chunks(of: part) }
        if let reason = candidate["finishReason"]?.string { ending = .finished(reason) }
    }

    /// A part that a script can hold: words, thoughts and calls.
    ///
    /// - Parameter keepsID: Whether a call keeps its identifier. In Live sessions each call needs one of its own, which the
    ///   simulator draws.
    static func chunks(of part: JSONValue, keepsID: Bool = true) -> [GeminiReply.Chunk] {
        if let call = part["functionCall"], let name = call["name"]?.string {
            let id = keepsID ? call["id"]?.string : nil
            return [.init([], calls: [GeminiCall(id: id, name: name, arguments: call["args"] ?? [:])])]
        }
        guard let text = part["text"]?.string, !text.isEmpty else { return [] }
        return [.init([text], isThought: part["thought"]?.bool ?? false)]
    }

    private static func failure(_ error: JSONValue, status: Int) -> GeminiFailure {
        let named = error["code"]?.integer ?? status
        let code = (400...599).contains(named) ? named : 500
        return GeminiFailure(
            code,
            error["status"]?.string ?? GeminiFailure.status(of: code),
            error["message"]?.string ?? "",
            details: error["details"]?.array ?? []
        )
    }
}
