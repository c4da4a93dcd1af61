import PeerKit

/// What a conversation holds in its context, and what it costs; survives a resumption.
struct ConversationMemory: Sendable {
    /// Tokens of a video frame, of which one a second counts (ai.google.dev/gemini-api/docs/tokens, 2.5).
    private static let tokensPerFrame = 258
    /// Bytes of a token of text, roughly (same source).
    private static let bytesPerToken = 4
    /// Tokens of a second of sound in a Live session, and its bytes: 16 bits at 16 kHz.
    private static let audioTokens = 25
    private static let audioBytesPerSecond = 32_000

    private(set) var turnCount = 0
    private(set) var frameCount = 0
    private(set) var lastFrame: FrameInspection?
    private(set) var lastFrameBytes = 0
    private(set) var firstFrameAt: ContinuousClock.Instant?
    private var textBytes = 0
    private var audioBytes = 0
    private var frameTokens = 0
    /// Bytes of text of the current turn's reply.
    private var replyBytes = 0

    mutating func take(frame: FrameInspection, byteCount: Int) {
        frameCount += 1
        frameTokens += Self.tokensPerFrame
        lastFrame = frame
        lastFrameBytes = byteCount
        firstFrameAt = firstFrameAt ?? .now
    }

    mutating func take(text: String) { textBytes += text.utf8.count }

    mutating func take(audioBytes count: Int) { audioBytes += count }

    /// Begins a turn of the model; the reply before it becomes part of the context.
    mutating func beginTurn() {
        turnCount += 1
        textBytes += replyBytes
        replyBytes = 0
    }

    mutating func take(reply: String) { replyBytes += reply.utf8.count }

    /// Forgets the oldest pictures once the context has grown past the trigger.
    mutating func compress(_ compression: ContextCompression) {
        guard promptTokens > compression.triggerTokens else { return }
        frameTokens = max(0, frameTokens - (promptTokens - compression.targetTokens))
    }

    /// The `usageMetadata` of a turn: the whole context, and the reply.
    ///
    /// Counts of zero are left out (proto3 JSON).
    var usage: JSONValue {
        let reply = Self.tokens(ofText: replyBytes)
        var fields: [String: JSONValue] = [:]
        fields["promptTokenCount"] = Self.count(promptTokens)
        fields["responseTokenCount"] = Self.count(reply)
        fields["totalTokenCount"] = Self.count(promptTokens + reply)
        fields["promptTokensDetails"] = Self.details([
            ("TEXT", Self.tokens(ofText: textBytes)), ("VIDEO", frameTokens), ("AUDIO", heardTokens),
        ])
        fields["responseTokensDetails"] = Self.details([("TEXT", reply)])
        return .object(fields)
    }

    private var promptTokens: Int { Self.tokens(ofText: textBytes) + frameTokens + heardTokens }

    private var heardTokens: Int { audioBytes * Self.audioTokens / Self.audioBytesPerSecond }

    private static func tokens(ofText bytes: Int) -> Int { (bytes + bytesPerToken - 1) / bytesPerToken }

    private static func count(_ value: Int) -> JSONValue? { value == 0 ? nil : .integer(value) }

    private static func details(_ counts: [(modality: String, tokens: Int)]) -> JSONValue? {
        let present = counts.filter { $0.tokens > 0 }
        if present.isEmpty { return nil }
        return .array(
            present.map { ["modality": .string($0.modality), "tokenCount": .integer($0.tokens)] }
        )
    }
}
