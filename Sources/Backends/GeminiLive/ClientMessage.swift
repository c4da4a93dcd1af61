import Foundation
import Services

/// The messages that a client of Gemini Live sends, as JSON text.
///
/// Keys are sorted, so that equal messages are equal bytes.
enum ClientMessage {
    /// The first message of a session.
    static func setup(_ configuration: LiveConfiguration, options: GeminiOptions) throws -> String {
        let name = configuration.model
        let wantsHandles = options.asksForHandles || configuration.resumption != nil
        return try encoded(
            SetupEnvelope(
                setup: Setup(
                    model: name.contains("/") ? name : "models/\(name)",
                    generationConfig: .init(responseModalities: ["TEXT"]),
                    systemInstruction: configuration.instructions.map {
                        Content(role: nil, parts: [.init(text: $0)])
                    },
                    sessionResumption: wantsHandles ? .init(handle: configuration.resumption) : nil,
                    contextWindowCompression: options.compressesContext ? .init() : nil
                )
            )
        )
    }

    /// Words for the model.
    static func text(_ text: String, route: GeminiOptions.TextRoute) throws -> String {
        switch route {
        case .realtimeInput: try encoded(["realtimeInput": ["text": text]])
        case .clientContent:
            try encoded([
                "clientContent": Turns(
                    turns: [Content(role: "user", parts: [.init(text: text)])],
                    turnComplete: true
                )
            ])
        }
    }

    /// A picture.
    ///
    /// Base64 needs no escapes in JSON, so it goes between two constants without an encoder.
    static func frame(_ jpeg: [UInt8]) -> String {
        let prefix = #"{"realtimeInput":{"video":{"data":""#
        let suffix = #"","mimeType":"image/jpeg"}}}"#
        var message = prefix
        message.reserveCapacity(prefix.utf8.count + (jpeg.count + 2) / 3 * 4 + suffix.utf8.count)
        message += Data(jpeg).base64EncodedString()
        message += suffix
        return message
    }

    private static func encoded(_ message: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(message), as: UTF8.self)
    }
}

private struct SetupEnvelope: Encodable {
    let setup: Setup
}

private struct Setup: Encodable {
    struct GenerationConfig: Encodable {
        let responseModalities: [String]
    }

    /// Empty means “send me handles”.
    struct Resumption: Encodable {
        let handle: String?
    }

    /// A sliding window with the service's own sizes.
    struct Compression: Encodable {
        struct Window: Encodable {}

        let slidingWindow = Window()

        private enum CodingKeys: String, CodingKey {
            case slidingWindow
        }
    }

    let model: String
    let generationConfig: GenerationConfig
    let systemInstruction: Content?
    let sessionResumption: Resumption?
    let contextWindowCompression: Compression?
}

private struct Content: Encodable {
    struct Part: Encodable {
        let text: String
    }

    let role: String?
    let parts: [Part]
}

private struct Turns: Encodable {
    let turns: [Content]
    let turnComplete: Bool
}
