public import Lens

/// What a demonstration has done.
public struct DemoResult: Sendable {
    /// What the stream counted.
    public var stream: StreamStatistics
    /// How long the session took to take each frame, in nanoseconds, sorted.
    public var sendNanoseconds: [Int64]
    /// How long after each question the first word came, in nanoseconds, sorted.
    public var replyNanoseconds: [Int64]
    /// The encoder's work in units of one full-size encode a frame.
    public var encodesPerFrame: Double
    /// Sentences that were spoken.
    public var sentences: Int
    /// The public addresses of this run's uploads.
    public var uploaded: [String]
    /// Uploads that wait for the next run, each with its state.
    public var waiting: [String]
    /// Why the first of them was not uploaded; `nil` when none has failed.
    public var uploadFailure: UploadError?
    /// When the user ended it, in nanoseconds since the start; `nil` when it ended by itself.
    public var stoppedAt: Int64?

    /// The value below which a share of the sorted values lies.
    public static func percentile(_ share: Double, of sorted: [Int64]) -> Int64? {
        guard !sorted.isEmpty else { return nil }
        return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
}
