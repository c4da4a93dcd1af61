import PeerKit

/// Reads contents of REST requests and Live messages: roles, parts, and the media in them.
struct ContentReader: Sendable {
    /// Fields of which a part has one.
    private static let kinds = [
        "text", "inline_data", "file_data", "function_call", "function_response", "executable_code",
        "code_execution_result", "tool_call", "tool_response",
    ]

    let inspectFrame: @Sendable ([UInt8]) throws -> FrameInspection
    /// The active file of a URI, when the caller may use it.
    let file: @Sendable (String) throws(GeminiFailure) -> GeminiFile
    /// The media types that may come inline; `nil` for all that the model takes.
    var inlineTypes: Set<String>?

    /// Reads words, and takes no media.
    static let words = ContentReader(
        inspectFrame: { _ in FrameInspection(width: 0, height: 0) },
        file: { (_: String) throws(GeminiFailure) in throw .invalidArgument },
        inlineTypes: []
    )

    /// Reads contents that follow each other; neighbours of one speaker are one, since a streamed chat comes back in pieces.
    func contents(_ given: [JSONValue], _ tokens: inout TokenCount) throws(GeminiFailure) -> [GeminiContent] {
        var contents: [GeminiContent] = []
        for (index, value) in given.enumerated() {
            let content = try content(value, at: "contents[\(index)]", &tokens)
            if contents.last?.role == content.role {
                contents[contents.count - 1].parts += content.parts
            } else {
                contents.append(content)
            }
        }
        try GenerateRequest.checkResults(contents)
        return contents
    }

    /// Reads standing instructions, whose role is of no account: clients give any.
    func instructions(_ value: JSONValue, _ tokens: inout TokenCount) throws(GeminiFailure) -> GeminiContent {
        var fields = value.object ?? [:]
        fields["role"] = nil
        return try content(.object(fields), at: "system_instruction", &tokens)
    }

    /// Reads a content whose names are in snake_case; texts of refusals follow what the service says of such contents.
    func content(
        _ value: JSONValue,
        at path: String,
        _ tokens: inout TokenCount
    ) throws(GeminiFailure) -> GeminiContent {
        let role: GeminiContent.Role
        switch value["role"]?.string ?? "user" {
        // Results of calls came under the role `function` in older clients.
        case "user", "", "function": role = .user
        case "model": role = .model
        default: throw .invalid("Please use a valid role: user, model.")
        }
        let given = value["parts"]?.array ?? []
        guard !given.isEmpty else {
            throw .field("\(path).parts", "contents.parts must not be empty.")
        }
        var parts: [GeminiPart] = []
        for (index, part) in given.enumerated() {
            parts.append(try self.part(part, at: "\(path).parts[\(index)]", &tokens))
        }
        return GeminiContent(role, parts)
    }

    private func part(
        _ part: JSONValue,
        at path: String,
        _ tokens: inout TokenCount
    ) throws(GeminiFailure) -> GeminiPart {
        let present = Self.kinds.filter { part[$0] != nil }
        guard let kind = present.first else {
            throw .field("\(path).data", "required oneof field 'data' must have one initialized field")
        }
        guard present.count == 1 else {
            throw .invalid(
                "Invalid value at '\(path)' (oneof), oneof field 'data' is already set. Cannot set '\(present[1])'"
            )
        }
        let value = part[kind] ?? .null
        switch kind {
        case "text":
            let text = value.string ?? ""
            tokens.add(text: text)
            return part["thought"]?.bool == true ? .thought(text) : .text(text)
        case "inline_data": return try inline(value, at: "\(path).inline_data", &tokens)
        case "file_data": return try stored(value, &tokens)
        case "function_call":
            tokens.add(TokenCount.tokens(ofText: value.json.count), .text)
            return .call(
                GeminiCall(
                    id: value["id"]?.string,
                    name: try name(value, at: "\(path).function_call"),
                    arguments: value["args"] ?? [:]
                )
            )
        case "function_response":
            tokens.add(TokenCount.tokens(ofText: value.json.count), .text)
            return .result(
                GeminiCallResult(
                    id: value["id"]?.string,
                    name: try name(value, at: "\(path).function_response"),
                    response: value["response"] ?? [:]
                )
            )
        default:
            let text = value["code"]?.string ?? value["output"]?.string ?? ""
            tokens.add(text: text)
            return .code(text)
        }
    }

    private func name(_ value: JSONValue, at path: String) throws(GeminiFailure) -> String {
        guard let name = value["name"]?.string, !name.isEmpty else {
            throw .field("\(path).name", "Name cannot be empty.")
        }
        return name
    }

    private func inline(
        _ blob: JSONValue,
        at path: String,
        _ tokens: inout TokenCount
    ) throws(GeminiFailure) -> GeminiPart {
        let data = blob["data"]?.string ?? ""
        guard let bytes = Base64.decoded(data) else {
            let beginning = data.prefix(32)
            throw .invalid(
                "Invalid value at '\(path).data' (TYPE_BYTES), Base64 decoding failed for \"\(beginning)\""
            )
        }
        let type = blob["mime_type"]?.string ?? ""
        guard !bytes.isEmpty else { throw .field("\(path).data", "data must not be empty.") }
        guard MediaKind(type) != nil, inlineTypes?.contains(type) != false else {
            throw .invalid("Unsupported MIME type: \(type)")
        }
        guard MediaKind(type) == .picture else {
            tokens.add(media: type, byteCount: bytes.count)
            return .media(mimeType: type, byteCount: bytes.count, file: nil)
        }
        guard let inspection = try? inspectFrame(bytes) else {
            throw .invalid(
                "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
            )
        }
        tokens.add(picture: inspection)
        return .picture(inspection, byteCount: bytes.count, file: nil)
    }

    private func stored(_ data: JSONValue, _ tokens: inout TokenCount) throws(GeminiFailure) -> GeminiPart {
        let file = try file(data["file_uri"]?.string ?? "")
        guard MediaKind(file.mimeType) != nil else {
            throw .invalid("Unsupported MIME type: \(file.mimeType)")
        }
        if let inspection = file.inspection {
            tokens.add(picture: inspection)
            return .picture(inspection, byteCount: file.byteCount, file: file.name)
        }
        tokens.add(media: file.mimeType, byteCount: file.byteCount)
        return .media(mimeType: file.mimeType, byteCount: file.byteCount, file: file.name)
    }
}

/// What a media type is to the model.
enum MediaKind: Sendable {
    case picture
    case video
    case other

    /// Reads a type; `nil` for one that the model does not take.
    init?(_ type: String) {
        guard let essence = MediaType(type)?.essence else { return nil }
        switch essence.prefix(while: { $0 != "/" }) {
        case "image": self = .picture
        case "video": self = .video
        case "audio", "text": self = .other
        default:
            let documents = [
                "application/pdf", "application/json", "application/x-javascript", "application/rtf",
            ]
            guard documents.contains(essence) else { return nil }
            self = .other
        }
    }
}
