import GeminiServer
import PeerKit

/// What tells one prompt from another in a recording.
struct RecordedPrompt: Hashable {
    /// Characters of a prompt that a rule looks for; longer ones differ by their beginning.
    private static let mostCharacters = 1_000

    private let text: String?
    /// The text as rules compare it: in capital or small letters.
    private let folded: String?
    /// The function whose result it brings.
    private let result: String?
    private let hasPicture: Bool
    private let hasFile: Bool

    /// The newest content of a request, in the JSON of either case of names; `nil` for a content that says nothing.
    init?(_ content: JSONValue) {
        let parts = content["parts"]?.array ?? content["parts"].map { [$0] } ?? []
        let words = parts.compactMap { $0["thought"]?.bool == true ? nil : $0["text"]?.string }
        self.init(
            words.joined(separator: "\n"),
            result: parts.lazy.compactMap {
                $0.member("functionResponse", "function_response")?["name"]?.string
            }
            .first,
            hasPicture: parts.contains { Self.isPicture($0.member("inlineData", "inline_data")) },
            hasFile: parts.contains { $0.member("fileData", "file_data") != nil }
        )
    }

    init?(_ words: String, result: String? = nil, hasPicture: Bool = false, hasFile: Bool = false) {
        guard !words.isEmpty || result != nil || hasPicture || hasFile else { return nil }
        text = words.isEmpty ? nil : String(words.prefix(Self.mostCharacters))
        folded = text?.lowercased()
        self.result = result
        self.hasPicture = hasPicture
        self.hasFile = hasFile
    }

    static func == (one: RecordedPrompt, other: RecordedPrompt) -> Bool {
        one.folded == other.folded && one.result == other.result && one.hasPicture == other.hasPicture
            && one.hasFile == other.hasFile
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(folded)
        hasher.combine(result)
        hasher.combine(hasPicture)
        hasher.combine(hasFile)
    }

    private static func isPicture(_ blob: JSONValue?) -> Bool {
        blob?.member("mimeType", "mime_type")?.string?.hasPrefix("image/") ?? false
    }

    var condition: GeminiRule.Condition {
        var condition = GeminiRule.Condition()
        condition.text = text
        condition.result = result.map { .of($0) }
        // A prompt without a picture may be asked again with one, and is the same then.
        condition.hasPicture = hasPicture ? true : nil
        condition.hasFile = hasFile ? true : nil
        return condition
    }

    /// Rules of a higher rank are tried first: the more they ask for, the higher.
    var rank: Int {
        8 * (text?.count ?? 0) + [result != nil, hasPicture, hasFile].count { $0 }
    }
}

extension JSONValue {
    /// A member by the name that the service writes, or by the one of protobuf, which it reads as well.
    func member(_ name: String, _ other: String) -> JSONValue? { self[name] ?? self[other] }
}
