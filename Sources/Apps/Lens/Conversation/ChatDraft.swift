internal import Foundation
internal import Services

/// What a user wants to say: words, a picture, or both.
public struct ChatDraft: Sendable, Hashable {
    /// The words; white space around them is left out.
    public var text: String
    /// A JPEG file of any size.
    public var picture: [UInt8]?

    /// Makes a draft.
    public init(_ text: String, picture: [UInt8]? = nil) {
        self.text = text
        self.picture = picture
    }

    /// The words as they are sent.
    var words: String { text.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// Whether there is anything to send.
    var saysSomething: Bool { picture != nil || !words.isEmpty }

    /// What is kept and sent.
    ///
    /// - Throws: `unusablePicture`.
    func content(_ encoder: any FrameEncoder) async throws(ChatFailure) -> ChatMessage.Content {
        guard let picture else { return .text(words) }
        let small = try await Self.small(picture, encoder)
        return .image(Data(small), caption: words.isEmpty ? nil : words)
    }

    /// A JPEG file made as small as a streamed picture, unless it is already.
    ///
    /// - Throws: `unusablePicture`.
    static func small(_ picture: [UInt8], _ encoder: any FrameEncoder) async throws(ChatFailure) -> [UInt8] {
        guard picture.starts(with: [0xFF, 0xD8]) else {
            let kind =
                picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) ? "a PNG file" : "no picture that is known"
            throw .unusablePicture(detail: "it is \(kind), and only JPEG files are sent")
        }
        do {
            let frame = VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .jpeg(picture))
            return try await encoder.encode(frame)
        } catch {
            throw .unusablePicture(detail: "\(error)")
        }
    }
}
