/// A run of a whole world, with properties that must hold, from any seed.
public struct Scenario: Sendable {
    /// What a run has done, for people and for comparison.
    public struct Summary: Sendable, Hashable {
        /// Names and figures, in the order in which they are shown.
        public var figures: [Figure]

        /// One figure.
        public struct Figure: Sendable, Hashable {
            /// What was counted.
            public var name: String
            /// How many.
            public var value: Int
        }

        /// Makes a summary.
        public init(_ figures: KeyValuePairs<String, Int>) {
            self.figures = figures.map { Figure(name: $0.key, value: $0.value) }
        }
    }

    /// What one types to run it.
    public let name: String
    /// One sentence.
    public let summary: String
    /// The defaults of its settings, by name; see ``ScenarioSettings``.
    public let settings: ScenarioSettings
    /// Whether it needs the simulated network, and so cannot run over real sockets.
    public let needsSimulatedNetwork: Bool
    /// Names of the `sometimes` that a sweep over it should reach.
    public let expects: [String]
    /// The story.
    ///
    /// Runs inside a simulation and throws when a property is violated.
    public let run: @Sendable (ScenarioSettings) async throws -> Summary

    /// Makes a scenario.
    public init(
        name: String,
        summary: String,
        settings: ScenarioSettings,
        needsSimulatedNetwork: Bool = true,
        expects: [String] = [],
        run: @escaping @Sendable (ScenarioSettings) async throws -> Summary
    ) {
        self.name = name
        self.summary = summary
        self.settings = settings
        self.needsSimulatedNetwork = needsSimulatedNetwork
        self.expects = expects
        self.run = run
    }
}
