/// What a streaming session has done so far.
public struct StreamStatistics: Sendable, Hashable {
    /// Why a tick sent no picture.
    public enum DropReason: String, Sendable, Hashable, CaseIterable {
        /// The camera had no picture.
        case noFrame
        /// The camera still showed the picture that was sent before.
        case unchanged
        /// The picture could not be turned into a JPEG that fits.
        case encoding
        /// The session ended while the picture was being sent.
        case sendFailed
        /// The tick passed while the one before was still being sent.
        case overrun
    }

    /// The least, the greatest and the mean of many durations.
    public struct Latency: Sendable, Hashable {
        /// How many were measured.
        public private(set) var count: Int = 0
        /// The shortest; zero when none was measured.
        public private(set) var shortest: Duration = .zero
        /// The longest; zero when none was measured.
        public private(set) var longest: Duration = .zero
        private var total: Duration = .zero

        /// The mean; zero when none was measured.
        public var mean: Duration { count == 0 ? .zero : total / count }

        mutating func add(_ duration: Duration) {
            shortest = count == 0 ? duration : min(shortest, duration)
            longest = max(longest, duration)
            total += duration
            count += 1
        }
    }

    /// Pictures taken from the camera.
    public internal(set) var framesRead: Int = 0
    /// Pictures that the session accepted.
    public internal(set) var framesSent: Int = 0
    /// JPEG bytes of the pictures that were sent.
    public internal(set) var bytesSent: Int = 0
    /// Ticks without a sent picture, by reason.
    public internal(set) var dropped: [DropReason: Int] = [:]
    /// How long the session took to accept a picture.
    public internal(set) var sendLatency: Latency = Latency()
    /// Sessions that were opened, the first included.
    public internal(set) var sessionsOpened: Int = 0
    /// Messages from the service that could not be understood.
    public internal(set) var unreadableMessages: Int = 0
    /// Questions that were put to the model.
    public internal(set) var promptsSent: Int = 0

    /// Creates statistics of nothing yet.
    public init() {}

    mutating func drop(_ reason: DropReason, count: Int = 1) {
        if count > 0 { dropped[reason, default: 0] += count }
    }
}
