import PeerKit

/// A request for words of the model, read and found in order.
struct GenerateRequest: Sendable {
    static let shape = MessageShape(fields: fields)
    /// `countTokens` takes contents alone, or a whole request.
    static let countShape = MessageShape(fields: [
        "model": .string, "contents": fields["contents"] ?? .any,
        "generate_content_request": .message(shape),
    ])

    private static let fields: [String: FieldShape] = [
        "model": .string, "contents": .list(.message(ContentShapes.content)),
        "system_instruction": .message(ContentShapes.content),
        "tools": .list(.message(ContentShapes.tool)), "tool_config": .message(ContentShapes.toolConfig),
        "safety_settings": .list(.message(ContentShapes.safetySetting)),
        "generation_config": .message(ContentShapes.generationConfig),
        "cached_content": .string, "labels": .map(.string), "service_tier": .string, "store": .bool,
    ]

    /// Which functions the model may call, and whether it has to.
    enum Calling: Sendable {
        case free
        case never
        /// One of these functions has to be called.
        case always([GeminiFunction])
    }

    /// Neighbours of one speaker are one content: a streamed chat comes back in pieces.
    let contents: [GeminiContent]
    let instructions: String?
    let functions: [GeminiFunction]
    let calling: Calling
    let options: GenerationOptions
    let tokens: TokenCount

    /// Reads a request whose names are in snake_case.
    init(_ fields: JSONValue, _ reader: ContentReader) throws(GeminiFailure) {
        var tokens = TokenCount()
        let given = fields["contents"]?.array ?? []
        guard !given.isEmpty else { throw .field("contents", "contents is not specified") }
        contents = try reader.contents(given, &tokens)
        instructions = try fields["system_instruction"].map { value throws(GeminiFailure) in
            try reader.instructions(value, &tokens).text
        }
        options = try GenerationOptions(fields["generation_config"])
        functions = try Self.functions(fields["tools"], &tokens)
        calling = try Self.calling(fields["tool_config"], functions)
        if fields["cached_content"] != nil {
            throw GeminiFailure(
                403,
                "PERMISSION_DENIED",
                "CachedContent not found (or permission denied)"
            )
        }
        if !functions.isEmpty, options.isStructured {
            throw .invalid(
                "Function calling with a response mime type: '\(options.mimeType)' is unsupported"
            )
        }
        self.tokens = tokens
    }

    /// The last words of the client.
    var prompt: String { contents.last?.text ?? "" }

    /// How many times the client has spoken, apart from results of calls.
    private var spokenCount: Int {
        contents.count { content in
            content.role == .user
                && content.parts.contains { if case .result = $0 { false } else { true } }
        }
    }

    /// What the newest picture showed when the model spoke last.
    private var frameBefore: FrameInspection? {
        guard let answer = contents.lastIndex(where: { $0.role == .model }) else { return nil }
        for part in contents[..<answer].flatMap(\.parts).reversed() {
            if case .picture(let inspection, _, _) = part { return inspection }
        }
        return nil
    }

    /// What a brain gets to know.
    func turn(model: String) -> GeminiTurn {
        var pictures: [(inspection: FrameInspection, byteCount: Int)] = []
        for part in contents.flatMap(\.parts) {
            if case .picture(let inspection, let count, _) = part { pictures.append((inspection, count)) }
        }
        let newest = contents.last?.parts ?? []
        var turn = GeminiTurn(
            index: max(0, spokenCount - 1),
            prompt: prompt,
            instructions: instructions,
            frameCount: pictures.count,
            lastFrame: pictures.last?.inspection,
            frameBefore: frameBefore,
            lastFrameBytes: pictures.last?.byteCount ?? 0,
            hasPicture: newest.contains { if case .picture = $0 { true } else { false } },
            hasFile: newest.contains { $0.file != nil },
            results: newest.compactMap { if case .result(let result) = $0 { result } else { nil } },
            model: model,
            contents: contents,
            functions: functions
        )
        // Negative, unlike those of Live sessions.
        turn.conversation = -1 - Int(UInt(bitPattern: contents.first.hashValue) >> 1)
        return turn
    }

    // MARK: Tools

    private static func functions(
        _ tools: JSONValue?,
        _ tokens: inout TokenCount
    ) throws(GeminiFailure) -> [GeminiFunction] {
        var functions: [GeminiFunction] = []
        var names: Set<String> = []
        for (tool, value) in (tools?.array ?? []).enumerated() {
            for (place, declaration) in (value["function_declarations"]?.array ?? []).enumerated() {
                let path = "tools[\(tool)].function_declarations[\(place)]"
                let name = declaration["name"]?.string ?? ""
                guard GeminiFunction.isName(name) else {
                    throw .field(
                        "\(path).name",
                        "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, "
                            + "0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64."
                    )
                }
                guard names.insert(name).inserted else {
                    throw .invalid("Duplicate function declaration found: \(name)")
                }
                tokens.add(TokenCount.tokens(ofText: declaration.json.count), .text)
                functions.append(
                    GeminiFunction(
                        name: name,
                        description: declaration["description"]?.string ?? "",
                        parameters: declaration["parameters"] ?? declaration["parameters_json_schema"]
                    )
                )
            }
        }
        return functions
    }

    private static func calling(
        _ config: JSONValue?,
        _ functions: [GeminiFunction]
    ) throws(GeminiFailure) -> Calling {
        let calling = config?["function_calling_config"]
        let names = (calling?["allowed_function_names"]?.array ?? []).compactMap(\.string)
        let mode = calling?["mode"]?.string ?? "AUTO"
        guard names.isEmpty || mode == "ANY" || mode == "VALIDATED" else {
            throw .invalid(
                "Allowed function names should be set only when function calling mode is ANY or VALIDATED."
            )
        }
        let declared = Set(functions.map(\.name))
        for name in names where !declared.contains(name) {
            throw .invalid("Function \(name) is not defined in function declarations.")
        }
        let chosen = Set(names)
        let allowed = names.isEmpty ? functions : functions.filter { chosen.contains($0.name) }
        switch mode {
        case "NONE": return .never
        case "ANY" where allowed.isEmpty:
            throw .invalid("Function calling mode is ANY, and no function is declared.")
        case "ANY": return .always(allowed)
        default: return .free
        }
    }

    /// Results follow the calls that they belong to, one for each.
    static func checkResults(_ contents: [GeminiContent]) throws(GeminiFailure) {
        var calls = 0
        for content in contents {
            let results = content.parts.count { if case .result = $0 { true } else { false } }
            guard results == 0 || calls > 0 else {
                throw .invalid(
                    "Please ensure that function response turn comes immediately after a function call turn."
                )
            }
            guard calls == 0 || results == calls else {
                throw .invalid(
                    "Please ensure that the number of function response parts is equal to the number of function call "
                        + "parts of the function call turn."
                )
            }
            calls = content.parts.count { if case .call = $0 { true } else { false } }
        }
    }
}
