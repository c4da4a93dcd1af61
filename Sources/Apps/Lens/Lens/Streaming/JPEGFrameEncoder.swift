internal import JPEG
public import Services

/// Makes JPEG files below a limit with TurboJPEG, off the caller's actor and one picture at a time.
public actor JPEGFrameEncoder: FrameEncoder {
    /// What a live session takes of one picture: 200 KB of 1,024 bytes (LENS-093).
    public static let streamLimit: Int = JPEGLadder.standardLimit
    /// Large enough for the best quality of any camera picture: photos are kept, not streamed.
    public static let photoLimit: Int = 32_000_000

    private let ladder: JPEGLadder

    /// Creates an encoder; its files are strictly smaller than `limit` bytes, at least 1,024.
    ///
    /// - Throws: When TurboJPEG has no memory left.
    public init(limit: Int = JPEGFrameEncoder.streamLimit) throws {
        ladder = try JPEGLadder(limit: limit)
    }

    /// Returns a file of the best quality that fits; a camera's own JPEG that fits is returned as it is.
    ///
    /// - Throws: `JPEGError` for a picture that cannot be decoded or made to fit.
    public func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        try ladder.compress(frame).jpeg
    }
}
