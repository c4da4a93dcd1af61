public import Exploration

extension Scenario {
    /// The scenario as something to explore, in the simulation.
    public func program(_ settings: ScenarioSettings) -> Program {
        let code = Program.Code(
            module: "LensScenarios",
            expression: "ScenarioCatalogue.named(\"\(name)\").map { $0.program($0.settings) }"
        )
        return Program(
            name: name,
            summary: summary,
            expects: expects,
            code: code,
            command: "lenssim run \(name)"
        ) {
            _ = try await run(settings)
        }
    }
}
