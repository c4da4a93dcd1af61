/// What an app, or several, can run and replay, by name.
public struct ScenarioCatalogue: Sendable {
    /// Every scenario, in the order in which they are listed.
    public let scenarios: [any Scenario.Type]
    /// What is recorded over real sockets.
    public let programs: [any RecordedProgram.Type]

    /// Makes a catalogue.
    ///
    /// - Precondition: No two have the same name, and no scenario has two settings of one name.
    public init(_ scenarios: [any Scenario.Type], programs: [any RecordedProgram.Type] = []) {
        let names = scenarios.map { $0.name } + programs.map { $0.name }
        precondition(Set(names).count == names.count, "two of the catalogue have the same name: \(names)")
        for scenario in scenarios {
            let settings = scenario.settingFacts.map(\.name)
            precondition(
                Set(settings).count == settings.count,
                "\(scenario.name) has two settings of the same name: \(settings)"
            )
        }
        self.scenarios = scenarios
        self.programs = programs
    }

    /// The scenario of that name.
    public func scenario(named name: String) -> (any Scenario.Type)? { scenarios.first { $0.name == name } }

    /// The program of that name.
    func program(named name: String) -> (any RecordedProgram.Type)? { programs.first { $0.name == name } }

    /// The scenarios of both catalogues.
    public static func + (first: Self, second: Self) -> Self {
        Self(first.scenarios + second.scenarios, programs: first.programs + second.programs)
    }
}
