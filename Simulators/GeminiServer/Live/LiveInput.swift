import PeerKit

/// A client message after the setup, read and found in order.
enum LiveInput: Sendable {
    /// Contents to append to the conversation, with names in snake_case, and whether the model is to answer now.
    case content([JSONValue], isComplete: Bool)
    case realtime(RealtimeInput)
    case toolResponse([ToolAnswer])
    /// New instructions, new tools, or both; what is `nil` stays.
    case contextUpdate(instructions: String?, tools: LiveTools?)

    /// Reads the fields of a message; pictures and sound are still base64.
    ///
    /// - Throws: The close with which the service answers what it does not take.
    init(_ message: JSONValue) throws(LiveRefusal) {
        if let content = message["client_content"] {
            self = .content(
                content["turns"]?.array ?? [],
                isComplete: content["turn_complete"]?.bool ?? false
            )
        } else if let input = message["realtime_input"] {
            self = .realtime(RealtimeInput(input))
        } else if let response = message["tool_response"] {
            let answers = response["function_responses"]?.array ?? []
            guard !answers.isEmpty else { throw .invalidArgument }
            var read: [ToolAnswer] = []
            for answer in answers { read.append(try ToolAnswer(answer)) }
            self = .toolResponse(read)
        } else if let update = message["context_update"] {
            let tools = try update["tools"].map { tools throws(LiveRefusal) in
                try LiveTools(tools["tools"]?.array ?? [])
            }
            let instructions = try update["system_instruction"].map { content throws(LiveRefusal) in
                try LiveSetup.instructions(content)
            }
            self = .contextUpdate(instructions: instructions, tools: tools)
        } else {
            // A second setup.
            throw .invalidArgument
        }
    }
}

/// What came in as live input: usually one field a message, but several are allowed.
struct RealtimeInput: Sendable {
    struct Blob: Sendable {
        let mimeType: String
        let data: String

        init(_ json: JSONValue) {
            mimeType = json["mime_type"]?.string ?? ""
            data = json["data"]?.string ?? ""
        }
    }

    let media: [Blob]
    let text: String?
    let startsActivity: Bool
    let endsActivity: Bool
    let endsAudio: Bool

    init(_ json: JSONValue) {
        let fields = ["video", "audio"].compactMap { json[$0] } + (json["media_chunks"]?.array ?? [])
        media = fields.map(Blob.init)
        text = json["text"]?.string
        startsActivity = json["activity_start"] != nil
        endsActivity = json["activity_end"] != nil
        endsAudio = json["audio_stream_end"]?.bool ?? false
    }
}

/// The answer to a call of a function.
struct ToolAnswer: Sendable {
    enum Scheduling: Sendable {
        case silent
        case whenIdle
        case interrupt
    }

    let id: String
    let name: String
    let response: JSONValue
    /// `nil` when the client has not said it.
    let scheduling: Scheduling?
    let continues: Bool

    /// - Throws: 1007 for an answer without the call's number.
    init(_ json: JSONValue) throws(LiveRefusal) {
        guard let id = json["id"]?.string, !id.isEmpty else { throw .invalidArgument }
        self.id = id
        name = json["name"]?.string ?? ""
        response = json["response"] ?? [:]
        scheduling =
            switch json["scheduling"]?.string {
            case "SILENT": .silent
            case "INTERRUPT": .interrupt
            case "WHEN_IDLE": .whenIdle
            default: nil
            }
        continues = json["will_continue"]?.bool ?? false
    }
}
