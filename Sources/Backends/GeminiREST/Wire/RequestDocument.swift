import Foundation
import GeminiAPI
import Services

/// The body of `generateContent` and its kin.
///
/// Source: ai.google.dev/api/generate-content. Keys are sorted, so that equal requests are equal bytes.
struct RequestDocument: Encodable {
    private let contents: [WireContent]
    private let systemInstruction: WireContent?
    private let generationConfig: GenerationConfig?
    private let safetySettings: StructuredValue?
    private let tools: [Tools]?
    private let toolConfig: ToolConfig?
    /// Only where the request lies inside another document.
    private var model: String?

    init(_ request: ChatRequest) {
        contents = request.contents.map { WireContent($0) }
        systemInstruction = request.instructions.map { WireContent(ChatContent(.user, [.text($0)])) }
        generationConfig = GenerationConfig(request)
        safetySettings = SafetySettings.document(request.safety)
        tools =
            request.functions.isEmpty
            ? nil : [Tools(functionDeclarations: request.functions.map(Function.init))]
        toolConfig = request.functionUse.map { ToolConfig(functionCallingConfig: .init($0)) }
    }

    /// The document for `countTokens`, which counts instructions and functions too.
    static func counting(_ request: ChatRequest, model: String) -> some Encodable {
        var document = RequestDocument(request)
        document.model = model
        return ["generateContentRequest": document]
    }

    private struct GenerationConfig: Encodable {
        let temperature: Double?
        let topP: Double?
        let topK: Int?
        let maxOutputTokens: Int?
        let stopSequences: [String]?
        let seed: Int?
        let presencePenalty: Double?
        let frequencyPenalty: Double?
        let thinkingConfig: ThinkingConfig?
        let candidateCount: Int?
        let responseMimeType: String?
        let responseJsonSchema: StructuredValue?

        /// `nil` where everything is left to the service.
        init?(_ request: ChatRequest) {
            let settings = request.settings
            guard settings != GenerationSettings() || request.output != .text else { return nil }
            temperature = settings.temperature
            topP = settings.topP
            topK = settings.topK
            maxOutputTokens = settings.longestAnswer
            stopSequences = settings.stopSequences.isEmpty ? nil : settings.stopSequences
            seed = settings.seed
            presencePenalty = settings.presencePenalty
            frequencyPenalty = settings.frequencyPenalty
            thinkingConfig = settings.thinking.map(ThinkingConfig.init)
            candidateCount = settings.candidates
            switch request.output {
            case .text: (responseMimeType, responseJsonSchema) = (nil, nil)
            case .json(let schema): (responseMimeType, responseJsonSchema) = ("application/json", schema)
            }
        }
    }

    private struct ThinkingConfig: Encodable {
        let includeThoughts: Bool?
        let thinkingBudget: Int?
        let thinkingLevel: String?

        init(_ thinking: ChatThinking) {
            includeThoughts = thinking.isShown ? true : nil
            switch thinking.amount {
            case .tokens(let count): (thinkingBudget, thinkingLevel) = (count, nil)
            case .low: (thinkingBudget, thinkingLevel) = (nil, "LOW")
            case .medium: (thinkingBudget, thinkingLevel) = (nil, "MEDIUM")
            case .high: (thinkingBudget, thinkingLevel) = (nil, "HIGH")
            case nil: (thinkingBudget, thinkingLevel) = (nil, nil)
            }
        }
    }

    /// Source: google-genai 3.4.0, `types.py`, `FunctionCallingConfig`.
    private struct ToolConfig: Encodable {
        struct Calling: Encodable {
            let mode: String
            let allowedFunctionNames: [String]?

            init(_ use: FunctionUse) {
                var names: [String] = []
                switch use {
                case .automatic: mode = "AUTO"
                case .never: mode = "NONE"
                case .always(let among): (mode, names) = ("ANY", among)
                case .validated(let among): (mode, names) = ("VALIDATED", among)
                }
                allowedFunctionNames = names.isEmpty ? nil : names
            }
        }

        let functionCallingConfig: Calling
    }

    private struct Tools: Encodable {
        let functionDeclarations: [Function]
    }

    private struct Function: Encodable {
        let name: String
        let description: String
        let parametersJsonSchema: StructuredValue?

        init(_ declaration: FunctionDeclaration) {
            name = declaration.name
            description = declaration.summary
            parametersJsonSchema = declaration.parameters
        }
    }
}

/// What one side says, as it travels.
private struct WireContent: Encodable {
    let role: String
    let parts: [WirePart]

    init(_ content: ChatContent) {
        role = content.role.rawValue
        parts = content.parts.map { WirePart(part: $0) }
    }
}

/// One part, with a single member that tells its kind.
private struct WirePart: Encodable {
    let part: ChatPart

    private enum CodingKeys: CodingKey {
        case text, inlineData, fileData, functionCall, functionResponse, thoughtSignature
    }

    private struct Blob: Encodable {
        let mimeType: String
        let data: String
    }

    private struct File: Encodable {
        let mimeType: String
        let fileUri: String
    }

    private struct Call: Encodable {
        let id: String?
        let name: String
        let args: [String: StructuredValue]
    }

    private struct Response: Encodable {
        let id: String?
        let name: String
        let response: [String: StructuredValue]
    }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        switch part {
        case .text(let text): try object.encode(text, forKey: .text)
        case .inline(let type, let bytes):
            let blob = Blob(mimeType: type, data: Data(bytes).base64EncodedString())
            try object.encode(blob, forKey: .inlineData)
        case .file(let uri, let type):
            try object.encode(File(mimeType: type, fileUri: uri), forKey: .fileData)
        case .functionCall(let call):
            let wire = Call(id: call.id, name: call.name, args: call.arguments)
            try object.encode(wire, forKey: .functionCall)
            try object.encodeIfPresent(call.signature, forKey: .thoughtSignature)
        case .functionResult(let result):
            let wire = Response(id: result.id, name: result.name, response: result.values)
            try object.encode(wire, forKey: .functionResponse)
        }
    }
}
