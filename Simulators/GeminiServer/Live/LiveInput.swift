import PeerKit

/// A client message after the setup, read and found in order.
enum LiveInput: Sendable {
    /// Words to append to the conversation, and whether the model is to answer now.
    case content(texts: [String], isComplete: Bool)
    case realtime(RealtimeInput)

    /// Reads the fields of a message; pictures and sound are still base64.
    ///
    /// - Throws: The close with which the service answers what it does not take.
    init(_ message: JSONValue) throws(LiveRefusal) {
        if let content = message["client_content"] {
            let turns = content["turns"]?.array ?? []
            let parts = turns.flatMap { $0["parts"]?.array ?? [] }
            self = .content(
                texts: parts.compactMap { $0["text"]?.string },
                isComplete: content["turn_complete"]?.bool ?? false
            )
        } else if let input = message["realtime_input"] {
            self = .realtime(RealtimeInput(input))
        } else {
            // A second setup, or an answer to a tool that was never called.
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

    init(_ json: JSONValue) {
        let fields = ["video", "audio"].compactMap { json[$0] } + (json["media_chunks"]?.array ?? [])
        media = fields.map(Blob.init)
        text = json["text"]?.string
        startsActivity = json["activity_start"] != nil
        endsActivity = json["activity_end"] != nil
    }
}
