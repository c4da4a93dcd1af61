import PeerKit

/// Tokens by modality, as `usageMetadata` counts them (ai.google.dev/gemini-api/docs/tokens).
struct TokenCount: Sendable, Hashable {
    enum Modality: String, CaseIterable {
        case text = "TEXT"
        case image = "IMAGE"
        case video = "VIDEO"
        case audio = "AUDIO"
        case document = "DOCUMENT"
    }

    /// Bytes of a token of text, roughly.
    static let bytesPerToken = 4
    /// Tokens of a picture, or of a tile of a larger one.
    private static let tileTokens = 258
    /// Pixels of the side up to which a picture is one tile, and of the side of a tile.
    private static let smallSide = 384
    private static let tileSide = 768
    /// Tokens of a second of sound and of sampled video.
    private static let soundTokens = 32
    private static let videoTokens = 300
    /// Bytes of a second of sound at 16 bits and 16 kHz, and of one that is compressed: 128 kbit/s, an assumption.
    private static let plainSoundBytes = 32_000
    private static let compressedSoundBytes = 16_000
    /// Bytes of a second of video: 1 Mbit/s, an assumption, since the simulator decodes none.
    private static let videoBytes = 125_000

    private var counts: [Modality: Int] = [:]

    var total: Int { counts.values.reduce(0, +) }

    subscript(modality: Modality) -> Int { counts[modality, default: 0] }

    mutating func add(_ tokens: Int, _ modality: Modality) { counts[modality, default: 0] += tokens }

    mutating func add(text: String) { add(Self.tokens(ofText: text.utf8.count), .text) }

    mutating func add(picture: FrameInspection) { add(Self.tokens(of: picture), .image) }

    /// Counts what was not decoded; bytes of an unknown rate give the length of sound and video.
    mutating func add(media type: String, byteCount: Int) {
        switch type.prefix(while: { $0 != "/" }) {
        case "audio":
            let isPlain = type.hasPrefix("audio/pcm") || type.hasPrefix("audio/wav")
            let rate = isPlain ? Self.plainSoundBytes : Self.compressedSoundBytes
            add(max(1, byteCount * Self.soundTokens / rate), .audio)
        case "video": add(Self.videoSeconds(byteCount: byteCount) * Self.videoTokens, .video)
        case "text": add(Self.tokens(ofText: byteCount), .text)
        // A page is an image of one tile.
        default: add(Self.tileTokens, .document)
        }
    }

    /// Per modality, in a fixed order; `nil` when there is nothing to tell.
    var details: JSONValue? {
        let present = Modality.allCases.filter { counts[$0, default: 0] > 0 }
        if present.isEmpty { return nil }
        return .array(
            present.map {
                ["modality": .string($0.rawValue), "tokenCount": .integer(counts[$0, default: 0])]
            }
        )
    }

    /// The length that a video is taken to have.
    static func videoSeconds(byteCount: Int) -> Int { max(1, byteCount / videoBytes) }

    static func tokens(ofText bytes: Int) -> Int { (bytes + bytesPerToken - 1) / bytesPerToken }

    private static func tokens(of picture: FrameInspection) -> Int {
        if max(picture.width, picture.height) <= smallSide { return tileTokens }
        func tiles(_ side: Int) -> Int { (side + tileSide - 1) / tileSide }
        return tiles(picture.width) * tiles(picture.height) * tileTokens
    }
}
