public import Services

/// Turns a camera's picture into a JPEG file that is small enough to send.
public protocol FrameEncoder: Sendable {
    /// Returns a whole JPEG file of `frame`.
    ///
    /// - Throws: When the picture cannot be decoded or does not fit; the frame is then left out.
    func encode(_ frame: VideoFrame) async throws -> [UInt8]
}
