public import Services

/// What one capture of the camera returned.
public struct RecordedLook: Sendable, Hashable {
    /// When, in nanoseconds since the session's start.
    public var nanoseconds: Int64
    /// The frame's number, or `nil` when there was no frame.
    public var sequence: Int?
    /// The frame's own time, in nanoseconds since the camera connected.
    public var timestamp: Int64
    /// The hash of the frame's contents; the contents are kept once per hash.
    public var hash: UInt64

    /// Makes a look.
    public init(nanoseconds: Int64, sequence: Int?, timestamp: Int64, hash: UInt64) {
        self.nanoseconds = nanoseconds
        self.sequence = sequence
        self.timestamp = timestamp
        self.hash = hash
    }
}

/// The contents of a frame as kept in a session.
public struct RecordedPicture: Sendable {
    /// Width and height, where known.
    public var size: PixelSize?
    /// The layout of uncompressed pixels; `nil` for a JPEG file.
    public var layout: PixelBuffer.Layout?
    /// The bytes: pixels, or a whole JPEG file.
    public var bytes: [UInt8]

    /// Makes a picture.
    public init(size: PixelSize?, layout: PixelBuffer.Layout?, bytes: [UInt8]) {
        self.size = size
        self.layout = layout
        self.bytes = bytes
    }
}
