public import Exploration

extension Scenario {
    /// The scenario as something to explore, in the simulation.
    public func program(_ settings: ScenarioSettings) -> Program {
        Program(name: name, summary: summary, expects: expects) { _ = try await run(settings) }
    }
}
