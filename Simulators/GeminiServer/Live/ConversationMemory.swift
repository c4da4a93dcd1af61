import PeerKit

/// What a conversation holds in its context, and what it costs; survives a resumption.
///
/// With a window over it, it shrinks to the window's target whenever it has grown past the trigger, by what comes in and by
/// what was said. What is oldest is not known: video goes first, then sound, pictures, files, and words.
struct ConversationMemory: Sendable {
    /// Tokens of a video frame (ai.google.dev/gemini-api/docs/tokens, 2.5).
    private static let tokensPerFrame = 258
    /// Tokens of a picture of a turn, taken for one that is not cut into tiles (same source).
    private static let tokensPerPicture = 258
    /// The time in which one frame of the video is looked at; others of that time are taken and cost nothing.
    private static let frameTime = Duration.seconds(1)
    /// Bytes of a token of text, roughly (same source).
    private static let bytesPerToken = 4
    /// Tokens of a second of sound in a Live session (quoted, not confirmed).
    private static let audioTokens = 25

    /// The window of the session that carries on the conversation.
    var compression: ContextCompression?
    private(set) var turnCount = 0
    /// Frames of video and pictures of turns.
    private(set) var frameCount = 0
    /// Frames that were looked at.
    private(set) var processedFrames = 0
    private(set) var lastFrame: FrameInspection?
    private(set) var lastFrameBytes = 0
    /// What the newest showed when the turn of the model before this one began.
    private(set) var frameOfTurn: FrameInspection?
    private(set) var firstFrameAt: ContinuousClock.Instant?
    private var processedAt: ContinuousClock.Instant?
    private var textBytes = 0
    private var audioMilliseconds = 0
    private var frameTokens = 0
    private var pictureTokens = 0
    /// Files that are no pictures.
    private var media = TokenCount()
    private var callCount = 0
    /// The current turn's reply, in writing and in sound.
    private var replyBytes = 0
    private var replyMilliseconds = 0
    private var thoughtBytes = 0

    mutating func take(frame: FrameInspection, byteCount: Int) {
        frameCount += 1
        lastFrame = frame
        lastFrameBytes = byteCount
        let now = ContinuousClock.now
        firstFrameAt = firstFrameAt ?? now
        if let processedAt, processedAt.duration(to: now) < Self.frameTime { return }
        processedAt = now
        processedFrames += 1
        frameTokens += Self.tokensPerFrame
        compress()
    }

    /// Takes a picture of a turn of the conversation.
    mutating func take(picture: FrameInspection, byteCount: Int) {
        frameCount += 1
        pictureTokens += Self.tokensPerPicture
        lastFrame = picture
        lastFrameBytes = byteCount
        compress()
    }

    mutating func take(text: String) { take(textBytes: text.utf8.count) }

    mutating func take(json: JSONValue) { take(textBytes: json.json.count) }

    private mutating func take(textBytes count: Int) {
        textBytes += count
        compress()
    }

    /// Takes a file that is no picture.
    mutating func take(media type: String, byteCount: Int) {
        media.add(media: type, byteCount: byteCount)
        compress()
    }

    mutating func take(soundOf milliseconds: Int) {
        audioMilliseconds += milliseconds
        compress()
    }

    /// The number of the next call of a function.
    mutating func nextCall() -> Int {
        callCount += 1
        return callCount
    }

    /// Begins a turn of the model; the reply before it becomes part of the context.
    mutating func beginTurn() {
        frameOfTurn = lastFrame
        turnCount += 1
        textBytes += replyBytes
        audioMilliseconds += replyMilliseconds
        replyBytes = 0
        replyMilliseconds = 0
        thoughtBytes = 0
        compress()
    }

    /// Counts a turn of the model that the client has brought as history.
    mutating func skipTurn() { turnCount += 1 }

    mutating func take(reply: String) { replyBytes += reply.utf8.count }

    mutating func take(thought: String) { thoughtBytes += thought.utf8.count }

    mutating func take(speechOf milliseconds: Int) { replyMilliseconds += milliseconds }

    /// Forgets context once it has grown past the trigger.
    private mutating func compress() {
        guard let compression, promptTokens > compression.triggerTokens else { return }
        var excess = promptTokens - compression.targetTokens
        func forget(_ tokens: Int) -> Int {
            let forgotten = min(tokens, excess)
            excess -= forgotten
            return tokens - forgotten
        }
        frameTokens = forget(frameTokens)
        let heard = heardTokens
        let keptSound = forget(heard)
        if keptSound < heard { audioMilliseconds = keptSound * 1000 / Self.audioTokens }
        pictureTokens = forget(pictureTokens)
        if excess > 0, media.total > 0 {
            excess -= media.total
            media = TokenCount()
        }
        if excess > 0 { textBytes = max(0, textBytes - excess * Self.bytesPerToken) }
    }

    /// The `usageMetadata` of a turn: the whole context, and the reply.
    ///
    /// Counts of zero are left out (proto3 JSON).
    var usage: JSONValue {
        let text = Self.tokens(ofText: replyBytes)
        let sound = Self.tokens(ofSound: replyMilliseconds)
        let thoughts = Self.tokens(ofText: thoughtBytes)
        var fields: [String: JSONValue] = [:]
        fields["promptTokenCount"] = Self.count(promptTokens)
        fields["responseTokenCount"] = Self.count(text + sound)
        fields["thoughtsTokenCount"] = Self.count(thoughts)
        fields["totalTokenCount"] = Self.count(promptTokens + text + sound + thoughts)
        fields["promptTokensDetails"] = Self.details([
            ("TEXT", Self.tokens(ofText: textBytes) + media[.text]), ("IMAGE", pictureTokens),
            ("VIDEO", frameTokens + media[.video]), ("AUDIO", heardTokens + media[.audio]),
            ("DOCUMENT", media[.document]),
        ])
        fields["responseTokensDetails"] = Self.details([("TEXT", text), ("AUDIO", sound)])
        return .object(fields)
    }

    private var promptTokens: Int {
        Self.tokens(ofText: textBytes) + pictureTokens + frameTokens + heardTokens + media.total
    }

    private var heardTokens: Int { Self.tokens(ofSound: audioMilliseconds) }

    private static func tokens(ofText bytes: Int) -> Int { (bytes + bytesPerToken - 1) / bytesPerToken }

    private static func tokens(ofSound milliseconds: Int) -> Int { milliseconds * audioTokens / 1000 }

    private static func count(_ value: Int) -> JSONValue? { value == 0 ? nil : .integer(value) }

    private static func details(_ counts: [(modality: String, tokens: Int)]) -> JSONValue? {
        let present = counts.filter { $0.tokens > 0 }
        if present.isEmpty { return nil }
        return .array(
            present.map { ["modality": .string($0.modality), "tokenCount": .integer($0.tokens)] }
        )
    }
}
