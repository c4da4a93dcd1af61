/// What one needs to know to run a session again.
public struct SessionManifest: Codable, Sendable, Hashable {
    /// How the session ran.
    public enum Fidelity: String, Codable, Sendable, Hashable, CaseIterable {
        /// In virtual time, with simulated services: the recipe decides everything.
        case simulated
        /// In real time, with services behind real sockets of this machine.
        case loopback
    }

    /// The scenario's name.
    public var scenario: String
    /// How it ran.
    public var fidelity: Fidelity
    /// The seed.
    public var seed: UInt64
    /// What decided a simulated run, as a `Recipe` writes itself; `nil` where the seed alone did, or for a run over sockets.
    public var recipe: String?
    /// The scenario's own settings, by name.
    public var parameters: [String: String]
    /// The wall clock at the start, in nanoseconds since 1970.
    public var startOfTime: Int64
    /// The version of the program that recorded it.
    public var recordedBy: String

    /// Makes a manifest.
    public init(
        scenario: String,
        fidelity: Fidelity,
        seed: UInt64,
        recipe: String? = nil,
        parameters: [String: String],
        startOfTime: Int64,
        recordedBy: String
    ) {
        self.scenario = scenario
        self.fidelity = fidelity
        self.seed = seed
        self.recipe = recipe
        self.parameters = parameters
        self.startOfTime = startOfTime
        self.recordedBy = recordedBy
    }
}

/// How a session ended.
public struct SessionOutcome: Codable, Sendable, Hashable {
    /// Steps of the scheduler.
    public var steps: Int
    /// Virtual time, in nanoseconds.
    public var nanoseconds: Int64
    /// The running hash at the end.
    public var hash: UInt64
    /// What went wrong; `nil` when nothing did.
    public var failure: String?
    /// When the user ended it, in nanoseconds since the start; `nil` when it ended by itself.
    public var stoppedAt: Int64?

    /// Makes an outcome.
    public init(steps: Int, nanoseconds: Int64, hash: UInt64, failure: String?, stoppedAt: Int64? = nil) {
        self.stoppedAt = stoppedAt
        self.steps = steps
        self.nanoseconds = nanoseconds
        self.hash = hash
        self.failure = failure
    }
}
