import Foundation
import GeminiServer
import Yams

/// A file with what the simulated model says.
///
///     version: 1
///     delay: 0.1
///     replies:
///       - A reply in one message.
///       - [A reply, " in two."]
struct ModelScriptFile: Decodable {
    private static let currentVersion = 1
    /// A wait of more than a day before a message is taken for a mistake.
    private static let longestDelay = 86_400.0

    private enum CodingKeys: String, CodingKey, CaseIterable { case version, delay, replies }

    private struct Name: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The texts of a reply's messages.
    private struct Reply: Decodable {
        var messages: [String]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let text = try? value.decode(String.self) {
                messages = [text]
            } else {
                messages = try value.decode([String].self)
            }
        }
    }

    /// Seconds before each message.
    private var delay: Double
    private var replies: [Reply]

    init(from decoder: any Decoder) throws {
        let known = CodingKeys.allCases.map(\.rawValue)
        for key in try decoder.container(keyedBy: Name.self).allKeys where !known.contains(key.stringValue) {
            throw Self.invalid(
                decoder,
                "unknown key “\(key.stringValue)”; known are \(known.joined(separator: ", "))"
            )
        }
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard try values.decode(Int.self, forKey: .version) == Self.currentVersion else {
            throw Self.invalid(decoder, "only version \(Self.currentVersion) is known")
        }
        delay = try values.decodeIfPresent(Double.self, forKey: .delay) ?? 0
        guard (0...Self.longestDelay).contains(delay) else {
            throw Self.invalid(decoder, "“delay” is 0 to \(Int(Self.longestDelay)) seconds")
        }
        replies = try values.decode([Reply].self, forKey: .replies)
        guard !replies.isEmpty, replies.allSatisfy({ !$0.messages.isEmpty }) else {
            throw Self.invalid(decoder, "there must be a reply, and each has at least one message")
        }
    }

    private static func invalid(_ decoder: any Decoder, _ what: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: what))
    }

    /// What the model says, for its server.
    private var brain: ScriptedBrain {
        ScriptedBrain(
            replies.map { reply in
                GeminiReply(reply.messages.map { .init([$0], after: .seconds(delay)) })
            }
        )
    }

    /// Reads a file.
    ///
    /// - Throws: ``InputFileError`` or ``ModelScriptError``.
    static func brain(at path: String) throws -> ScriptedBrain {
        try InputFile(path: path).check()
        do {
            return try YAMLDecoder().decode(Self.self, from: Data(contentsOf: URL(filePath: path))).brain
        } catch let error as DecodingError {
            throw ModelScriptError(path: path, detail: Self.explanation(of: error))
        } catch {
            throw ModelScriptError(path: path, detail: "\(error)")
        }
    }

    private static func explanation(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, _): "it lacks “\(key.stringValue)”"
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
            if let cause = context.underlyingError { "\(cause)" } else { context.debugDescription }
        @unknown default: "\(error)"
        }
    }
}

/// Why a model's script cannot be used.
struct ModelScriptError: Error, CustomStringConvertible {
    var path: String
    var detail: String

    var description: String { "\(path) is no script for the model: \(detail)" }
}
