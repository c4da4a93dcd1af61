/// What one connection of a camera has delivered.
public struct CaptureStatistics: Sendable, Hashable, Codable {
    /// Whole frames.
    public var frames: Int = 0
    /// Frames that the driver counted and did not deliver.
    public var lost: Int = 0
    /// Frames that were not whole, or that the driver named damaged.
    public var damaged: Int = 0
    /// How often as many frames were taken at once as there are buffers.
    ///
    /// All were full then, or became full while frames were taken, and what the driver lost around that time may have had no room: the
    /// process was too slow. While it is 0, the driver never lacked a buffer, and what is lost was never captured.
    public var overruns: Int = 0
    /// How often the stream was started again after it had failed or stood still.
    public var restarts: Int = 0

    /// Begins with these counts.
    public init(frames: Int = 0, lost: Int = 0, damaged: Int = 0, overruns: Int = 0, restarts: Int = 0) {
        (self.frames, self.lost, self.damaged) = (frames, lost, damaged)
        (self.overruns, self.restarts) = (overruns, restarts)
    }
}
