public import Transport

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
    /// Whether it needs the simulated network, and so cannot run over real sockets; it does unless the type says otherwise.
    static var needsSimulatedNetwork: Bool { get }
    /// Names of the `sometimes` that a sweep over it should reach; none unless the type says otherwise.
    static var expects: [String] { get }

    /// Makes the world, lets happen what the scenario is about, and checks its properties.
    ///
    /// Runs inside a simulation, and reaches its services through ``Binding/current``.
    ///
    /// - Throws: `PropertyViolation` when a property does not hold, and what else keeps the run from its end.
    func run() async throws -> ScenarioSummary

    /// Makes the services for a run over real sockets, by name, outside of the simulation.
    ///
    /// Only asked of a scenario that does not need the simulated network.
    ///
    /// - Throws: What the services throw when they cannot be made, such as for a folder that is not writable.
    func loopbackPeers() throws -> [String: any Server]
}

extension Scenario {
    /// The simulated network is needed.
    public static var needsSimulatedNetwork: Bool { true }

    /// Nothing has to be reached.
    public static var expects: [String] { [] }

    /// There are no services.
    public func loopbackPeers() throws -> [String: any Server] { [:] }
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
