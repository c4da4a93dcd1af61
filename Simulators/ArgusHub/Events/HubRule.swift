/// What makes events at the hub again and again, such as motion at a camera every 40 seconds.
public struct HubRule: Sendable, Hashable {
    /// When a rule makes an event.
    public enum Schedule: Sendable, Hashable {
        /// Again and again, first one interval after the hub has started; a millisecond at least.
        case every(Duration)
        /// Once a day at a time of UTC, 0…23 and 0…59.
        case daily(hour: Int, minute: Int)
        /// Once, so long after the hub has started.
        case once(after: Duration)
    }

    /// When.
    public var schedule: Schedule
    /// The camera that sees the event.
    public var cameraID: String
    /// What is seen; see ``HubEvent/detectionType``.
    public var detectionType: String
    /// What the hub says about it.
    public var description: String

    /// Makes a rule.
    public init(
        _ schedule: Schedule,
        cameraID: String = "cam_front",
        detectionType: String = "motion",
        description: String = "Something moved."
    ) {
        self.schedule = schedule
        self.cameraID = cameraID
        self.detectionType = detectionType
        self.description = description
    }
}
