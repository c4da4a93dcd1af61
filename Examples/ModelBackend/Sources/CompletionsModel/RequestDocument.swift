import Services

/// What is sent; members that are `nil` are left out.
struct RequestDocument: Encodable {
    struct Message: Encodable {
        let role: String
        let content: String
    }

    struct StreamOptions: Encodable {
        let include_usage: Bool
    }

    let model: String
    let messages: [Message]
    let stream: Bool
    let stream_options: StreamOptions?
    let temperature: Double?
    let top_p: Double?
    let top_k: Int?
    let max_tokens: Int?
    let stop: [String]?
    let seed: Int?

    /// Puts a request into the service's words.
    ///
    /// - Throws: `rejected` for what the interface, or this client, does not have.
    init(_ request: ChatRequest, streams: Bool, _ call: CompletionsCall) throws(ChatModelError) {
        guard request.functions.isEmpty, request.output == .text else {
            throw call.error(.rejected, "functions and JSON output are not supported")
        }
        guard !request.contents.isEmpty, request.contents.allSatisfy({ !$0.parts.isEmpty }) else {
            throw call.error(.rejected, "nothing is asked, or a content has no parts")
        }
        model = request.model.hasPrefix("models/") ? String(request.model.dropFirst(7)) : request.model
        var messages: [Message] = []
        if let instructions = request.instructions {
            messages.append(Message(role: "system", content: instructions))
        }
        for content in request.contents {
            var text = ""
            for part in content.parts {
                guard case .text(let words) = part else {
                    throw call.error(.rejected, "only words can be sent")
                }
                text += words
            }
            messages.append(Message(role: content.role == .user ? "user" : "assistant", content: text))
        }
        self.messages = messages
        stream = streams
        stream_options = streams ? StreamOptions(include_usage: true) : nil
        let settings = request.settings
        temperature = settings.temperature
        top_p = settings.topP
        top_k = settings.topK
        max_tokens = settings.longestAnswer
        stop = settings.stopSequences.isEmpty ? nil : settings.stopSequences
        seed = settings.seed
    }
}
