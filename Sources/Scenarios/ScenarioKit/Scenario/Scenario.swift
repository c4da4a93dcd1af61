/// A run of a whole world, with properties that must hold, from any seed.
///
/// A scenario is a value: its stored properties are its settings.
///
/// ```swift
/// struct Ticking: Scenario {
///     static let name = "ticking"
///     static let summary = "a clock ticks once a second, whatever else runs"
///     static let settings: [Setting<Self>] = [Setting("seconds", \.seconds, in: 1...3600, "Virtual seconds.")]
///     var seconds = 10
///
///     func run() async throws -> ScenarioSummary {
///         let world = try await ClockWorld.start()
///         try await Task.sleep(for: .seconds(seconds))
///         try check(world.ticks == seconds, "a clock ticks once a second", "\(world.ticks)")
///         return ScenarioSummary(["ticks": world.ticks])
///     }
/// }
/// ```
public protocol Scenario: Configurable {
    /// One sentence.
    static var summary: String { get }
    /// Whether it needs faults or devices of a simulated world, and so cannot run over real sockets; it does unless the type says otherwise.
    static var needsSimulatedNetwork: Bool { get }
    /// Names of the `sometimes` that a sweep over it should reach; none unless the type says otherwise.
    static var expects: [String] { get }

    /// Makes the world, lets happen what the scenario is about, and checks its properties.
    ///
    /// Runs inside a simulation, and reaches its services through ``Binding/current``.
    ///
    /// - Throws: `PropertyViolation` when a property does not hold, and what else keeps the run from its end.
    func run() async throws -> ScenarioSummary
}

extension Scenario {
    /// The simulated network is needed.
    public static var needsSimulatedNetwork: Bool { true }

    /// Nothing has to be reached.
    public static var expects: [String] { [] }
}

/// What a run has done, for people and for comparison.
public struct ScenarioSummary: Sendable, Hashable {
    /// Names and figures, in the order in which they are shown.
    public var figures: [Figure]

    /// One figure.
    public struct Figure: Codable, Sendable, Hashable {
        /// What was counted.
        public var name: String
        /// How many.
        public var value: Int
    }

    /// Makes a summary.
    public init(_ figures: KeyValuePairs<String, Int> = [:]) {
        self.figures = figures.map { Figure(name: $0.key, value: $0.value) }
    }
}
