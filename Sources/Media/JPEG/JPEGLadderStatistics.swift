/// What a ``JPEGLadder`` has done so far.
public struct JPEGLadderStatistics: Sendable, Hashable {
    /// Frames that were asked for, also those that failed.
    public var frames = 0
    /// Frames that were passed through as they came.
    public var passedThrough = 0
    /// Frames that were encoded smaller than they were, because no quality was low enough.
    public var downscaled = 0
    /// Frames that gave no file.
    public var failures = 0
    /// Encoder runs over a whole frame, at full size or downscaled.
    public var encodes = 0
    /// Encoder runs over a sample of a frame.
    public var probes = 0
    /// Pixels that went through the encoder, samples included.
    public var encodedPixels = 0
    /// Pixels of the frames that were encoded.
    public var framePixels = 0

    /// The encoder's work in units of one full-size encode a frame, samples included; 0 before the first frame.
    public var encodesPerFrame: Double {
        framePixels == 0 ? 0 : Double(encodedPixels) / Double(framePixels)
    }
}
