import GeminiServer
import PeerKit
import Yams

/// Reads replies of a script: a text, a list of messages, or a mapping with messages and an end.
struct ReplyReader {
    /// Why an answer may end (ai.google.dev/api/generate-content#FinishReason).
    static let finishReasons = [
        "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT",
        "SPII", "MALFORMED_FUNCTION_CALL", "IMAGE_SAFETY", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE",
    ]
    /// Why a prompt may be blocked (ai.google.dev/api/generate-content#BlockReason).
    static let blockReasons = [
        "SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "IMAGE_SAFETY", "JAILBREAK", "MODEL_ARMOR",
    ]

    /// Why a turn of a Live session may be no answer like others (google-genai 3.4.0, `TurnCompleteReason`).
    private static let turnReasons = [
        "MALFORMED_FUNCTION_CALL", "RESPONSE_REJECTED", "NEED_MORE_INPUT", "PROHIBITED_INPUT_CONTENT",
        "BLOCKLIST", "GENERATED_CONTENT_PROHIBITED", "GENERATED_CONTENT_SAFETY", "GENERATED_AUDIO_SAFETY",
    ]

    /// The wait before a message that gives none.
    let delay: Duration

    /// At least one reply.
    func list(_ node: Node) throws(GeminiScriptError) -> [GeminiReply] {
        var replies: [GeminiReply] = []
        for element in try ScriptFields.elements(of: node) { replies.append(try reply(element)) }
        return replies
    }

    func reply(_ node: Node) throws(GeminiScriptError) -> GeminiReply {
        guard case .mapping = node else { return GeminiReply(try messages(node)) }
        let fields = try ScriptFields(
            node,
            known: [
                "messages", "finish", "blocked", "error", "turnReason", "waitsForInput", "tellsInteraction",
                "citations",
            ]
        )
        var reply = try ended(fields)
        reply.signals = GeminiReply.Signals(
            turnReason: try name("turnReason", of: fields, Self.turnReasons),
            waitsForInput: try fields.flag("waitsForInput") ?? false,
            tellsInteraction: try fields.flag("tellsInteraction") ?? false
        )
        if let list = fields["citations"] {
            for node in try ScriptFields.elements(of: list) {
                reply.citations.append(try citation(node, of: reply.text.utf8.count))
            }
        }
        return reply
    }

    /// A source of bytes of an answer that has so many.
    private func citation(_ node: Node, of count: Int) throws(GeminiScriptError) -> GeminiReply.Citation {
        let fields = try ScriptFields(node, known: ["start", "end", "uri", "license"])
        let start = try fields.whole("start", in: 0...max(0, count - 1)) ?? 0
        guard start < count, let uri = try fields.text("uri") else {
            throw fields.wrong(nil, "a citation has a “uri”, and its reply words")
        }
        let end = try fields.whole("end", in: (start + 1)...count) ?? count
        return GeminiReply.Citation(start..<end, uri: uri, license: try fields.text("license"))
    }

    /// A reply without its signals and sources.
    private func ended(_ fields: ScriptFields) throws(GeminiScriptError) -> GeminiReply {
        let chunks = try fields["messages"].map { node throws(GeminiScriptError) in try messages(node) } ?? []
        let ends = ["finish", "blocked", "error"].filter { fields[$0] != nil }
        guard ends.count <= 1 else {
            throw fields.wrong(ends[1], "a reply ends with one of finish, blocked and error")
        }
        if let reason = try name("finish", of: fields, Self.finishReasons) {
            return GeminiReply(chunks, ending: .finished(reason))
        }
        if let reason = try name("blocked", of: fields, Self.blockReasons) {
            guard chunks.isEmpty else {
                throw fields.wrong("messages", "nothing is said to a prompt that is blocked")
            }
            return GeminiReply([], ending: .blocked(reason))
        }
        if let error = fields["error"] { return GeminiReply(chunks, ending: .failed(try failure(error))) }
        guard !chunks.isEmpty || fields["turnReason"] != nil || fields["waitsForInput"] != nil else {
            throw fields.wrong(nil, "the reply has neither messages nor an end")
        }
        return GeminiReply(chunks)
    }

    private func name(
        _ key: String,
        of fields: ScriptFields,
        _ known: [String]
    ) throws(GeminiScriptError) -> String? {
        guard let name = try fields.text(key) else { return nil }
        guard known.contains(name) else {
            throw fields.wrong(key, "“\(key)” is one of \(known.joined(separator: ", "))")
        }
        return name
    }

    // MARK: Messages

    private func messages(_ node: Node) throws(GeminiScriptError) -> [GeminiReply.Chunk] {
        if case .scalar = node { return [try message(node)] }
        var chunks: [GeminiReply.Chunk] = []
        for element in try ScriptFields.elements(of: node) { chunks.append(try message(element)) }
        return chunks
    }

    private func message(_ node: Node) throws(GeminiScriptError) -> GeminiReply.Chunk {
        if case .scalar(let scalar) = node { return GeminiReply.Chunk([scalar.string], after: delay) }
        let fields = try ScriptFields(node, known: ["text", "thought", "after", "call", "arguments", "id"])
        let text = try fields.text("text")
        let name = try fields.text("call")
        guard text != nil || name != nil else { throw fields.wrong(nil, "a message has a text or a call") }
        for key in ["arguments", "id"] where fields[key] != nil && name == nil {
            throw fields.wrong(key, "“\(key)” belongs to a call")
        }
        let isThought = try fields.flag("thought") ?? false
        if isThought, name != nil { throw fields.wrong("thought", "a thought calls nothing") }
        var calls: [GeminiCall] = []
        if let name {
            let arguments =
                try fields["arguments"].map { node throws(GeminiScriptError) in try node.json() } ?? [:]
            guard arguments.object != nil else { throw fields.wrong("arguments", "“arguments” is a mapping") }
            calls = [GeminiCall(id: try fields.text("id"), name: name, arguments: arguments)]
        }
        return GeminiReply.Chunk(
            text.map { [$0] } ?? [],
            after: try fields.seconds("after") ?? delay,
            isThought: isThought,
            calls: calls
        )
    }

    // MARK: Errors

    private func failure(_ node: Node) throws(GeminiScriptError) -> GeminiFailure {
        let fields = try ScriptFields(node, known: ["code", "status", "message", "retryAfter"])
        guard let code = try fields.whole("code", in: 400...599) else {
            throw fields.wrong(nil, "an error has a code")
        }
        let status = try fields.text("status") ?? GeminiFailure.status(of: code)
        let wait = try fields.seconds("retryAfter")
        return GeminiFailure(
            code,
            status,
            try fields.text("message") ?? GeminiFailure.message(of: code),
            details: wait.map { [GeminiFailure.retryInfo($0)] } ?? []
        )
    }
}
