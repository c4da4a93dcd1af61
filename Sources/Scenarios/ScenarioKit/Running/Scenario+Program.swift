public import Exploration
internal import SessionRecording

extension Scenario {
    /// The scenario as something to explore, in the simulation.
    public var program: Program { program { _ in } }

    /// The same.
    ///
    /// - Parameters:
    ///   - screens: Where a run notes what its screens show; `nil` for nowhere.
    ///   - onSummary: Receives what a run has counted that came to its end.
    func program(
        screens: (any ScreenLog)? = nil,
        _ onSummary: @escaping @Sendable (ScenarioSummary) -> Void
    ) -> Program {
        // A module and a type: what a test writes to get it.
        let parts = String(reflecting: Self.self).split(separator: ".", maxSplits: 1).map(String.init)
        let usual = Self().settingTexts
        let changes = settingTexts.filter { usual[$0.key] != $0.value }.sorted { $0.key < $1.key }
        let settings = changes.map { "\(String(reflecting: $0.key)): \(String(reflecting: $0.value))" }
            .joined(separator: ", ")
        let making = changes.isEmpty ? "\(parts[1])()" : "\(parts[1])(settings: [\(settings)])"
        return Program(
            name: Self.name,
            summary: Self.summary,
            expects: Self.expects,
            code: Program.Code(module: parts[0], besides: ["ScenarioKit"], expression: "\(making).program"),
            command: "lenssim run \(Self.name)\(arguments)"
        ) {
            let log = screens.map { RunScreenLog($0) }
            onSummary(try await RunScreens.$log.withValue(log) { try await run() })
        }
    }
}
