public import Foundation
internal import PNG
internal import Services

/// What a user wants to say: words, a picture or a video, or both.
public struct ChatDraft: Sendable, Hashable {
    /// The words; white space around them is left out.
    public var text: String
    /// A JPEG or PNG file of any size.
    public var picture: [UInt8]?
    /// The file of a video in the app's documents: one of the gallery, or a clip (``ChatClips``); it goes before a picture.
    public var video: URL?

    /// Makes a draft.
    public init(_ text: String, picture: [UInt8]? = nil, video: URL? = nil) {
        self.text = text
        self.picture = picture
        self.video = video
    }

    /// The words as they are sent.
    var words: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Whether there is anything to send.
    var saysSomething: Bool { picture != nil || video != nil || !words.isEmpty }

    /// What is kept and sent.
    ///
    /// - Throws: `unusablePicture`.
    func content(_ encoder: any FrameEncoder) async throws(ChatFailure) -> ChatMessage.Content {
        let caption = words.isEmpty ? nil : words
        if let video { return .video(video, caption: caption) }
        guard let picture else { return .text(words) }
        return .image(Data(try await Self.small(picture, encoder)), caption: caption)
    }

    /// A JPEG file as small as a streamed picture: of a JPEG file that is not small enough already, or of a PNG file.
    ///
    /// - Throws: `unusablePicture`.
    static func small(_ picture: [UInt8], _ encoder: any FrameEncoder) async throws(ChatFailure) -> [UInt8] {
        do {
            let content = try await content(of: picture)
            let frame = VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: content)
            return try await encoder.encode(frame)
        } catch let failure as ChatFailure {
            throw failure
        } catch {
            throw .unusablePicture(detail: "\(error)")
        }
    }

    /// Off the caller's actor: a large PNG file takes its time.
    @concurrent
    private static func content(of picture: [UInt8]) async throws -> VideoFrame.Content {
        if picture.starts(with: [0xFF, 0xD8]) { return .jpeg(picture) }
        guard PNGDecoder.begins(picture) else {
            throw ChatFailure.unusablePicture(detail: "it is neither a JPEG nor a PNG file")
        }
        return .pixels(try PNGDecoder.decode(picture))
    }
}
