import Foundation
import JPEG
import Services

/// The frames of a recording: those of the camera that are kept, or, where none is, those that were sent to a live model.
public struct SessionPictures {
    private let session: SessionReader
    private let areKept: Bool
    private let encoder: JPEGEncoder

    /// The quality of frames that the camera gave without compression, in percent.
    private static let quality = 90

    /// Looks which of them there are.
    ///
    /// - Throws: `SessionError`.
    public init(_ session: SessionReader) throws {
        self.session = session
        areKept = try session.keepsPictures()
        encoder = try JPEGEncoder()
    }

    /// Which entries have frames.
    public var filter: SessionFilter {
        var filter = SessionFilter()
        filter.kinds = areKept ? [.captures] : [.websocket]
        if !areKept { filter.text = "realtimeInput" }
        return filter
    }

    /// So many bytes of an entry tell whether it may have a frame.
    public static let excerpt: Int = 64

    /// Whether an entry may have a frame, by its first bytes.
    public func mayHaveFrame(_ entry: SessionEntry) -> Bool {
        switch entry.content {
        case .capture(let look): areKept && look.sequence != nil
        case .message(let message, "websocket"):
            !areKept && message.direction == .out && message.kind == .text
                && String(decoding: message.bytes.prefix(Self.excerpt), as: UTF8.self).contains("\"video\"")
        default: false
        }
    }

    /// The frame of an entry, of which all bytes were read, as a JPEG file; `nil` for an entry without one, and for what is no
    /// picture that can be compressed.
    ///
    /// - Throws: `SessionError`.
    public func jpeg(of entry: SessionEntry) throws -> [UInt8]? {
        switch entry.content {
        case .capture(let look) where areKept && look.sequence != nil:
            guard let picture = try session.picture(look.hash) else { return nil }
            guard let layout = picture.layout, let size = picture.size else { return picture.bytes }
            let pixels = PixelBuffer(size: size, layout: layout)
            unsafe pixels.withMutableBytes { unsafe $0.copyBytes(from: picture.bytes) }
            return try? encoder.encode(pixels, quality: Self.quality)
        case .message(let message, "websocket")
        where !areKept && message.direction == .out && message.kind == .text:
            return Self.frame(in: message.bytes)
        default: return nil
        }
    }

    /// The JPEG file of a `realtimeInput` with video, as the Live API has it; `nil` for any other message.
    public static func frame(in message: [UInt8]) -> [UInt8]? {
        struct Message: Decodable {
            struct Input: Decodable { var video: Video? }
            struct Video: Decodable { var data: Data }
            var realtimeInput: Input?
        }
        let decoded = try? JSONDecoder().decode(Message.self, from: Data(message))
        return decoded?.realtimeInput?.video.map { Array($0.data) }
    }
}
