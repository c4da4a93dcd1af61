/// What one connection of a camera has delivered.
public struct CaptureStatistics: Sendable, Hashable, Codable {
    /// Whole frames.
    public var frames: Int = 0
    /// Frames that the driver counted and did not deliver.
    public var lost: Int = 0
    /// Frames that were not whole, or that the driver named damaged.
    public var damaged: Int = 0
    /// How often every buffer was full when frames were taken.
    ///
    /// What the driver lost around then had no room, since the process was too slow; what is lost without it was never captured.
    public var overruns: Int = 0
    /// How often the stream was started again after it had failed or stood still.
    public var restarts: Int = 0

    /// Begins with these counts.
    public init(frames: Int = 0, lost: Int = 0, damaged: Int = 0, overruns: Int = 0, restarts: Int = 0) {
        (self.frames, self.lost, self.damaged) = (frames, lost, damaged)
        (self.overruns, self.restarts) = (overruns, restarts)
    }
}
