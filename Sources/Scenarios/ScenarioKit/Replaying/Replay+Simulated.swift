import Exploration
public import SessionRecording
public import Simulation

extension SessionReader {
    func replaySimulated(_ scenario: some Scenario, until: Duration?) throws -> ReplayReport {
        let recorded = try events()
        let comparison = Comparison(isCutOff: outcome == nil)
        let events = EventComparison(recorded, isWhole: outcome != nil, comparison: comparison)
        // A recording that stops before its end says nothing about what came then.
        let end = until ?? (outcome == nil ? .nanoseconds(recorded.last?.nanoseconds ?? 0) : nil)
        let screens = try ScreenComparison(self, comparison: comparison) {
            (Simulation.current?.now ?? .zero).nanoseconds
        }
        let result = scenario.program(screens: screens) { _ in }.run(try recipe()) { configuration in
            configuration.onEvent = { event in
                if end.map({ event.nanoseconds <= $0.nanoseconds }) ?? true { events.check(event) }
            }
            if let end { configuration.maximumTime = min(end, configuration.maximumTime) }
        }
        let wasCut = end != nil && result.failure?.ending == .timeLimit
        let failure = wasCut ? nil : result.failure.map { "\($0)" }
        events.finish(until: wasCut ? end?.nanoseconds : nil)
        screens.finish(until: wasCut ? end?.nanoseconds : nil)
        return ReplayReport(
            compared: comparison.compared,
            firstDifference: comparison.firstDifference,
            endings: endings(failure: failure, wasCut: wasCut),
            hashes: outcome.flatMap { recorded in
                wasCut || recorded.failure != nil || failure != nil ? nil : (recorded.hash, result.hash)
            },
            seconds: result.time / .seconds(1),
            cutOffAt: outcome == nil && until == nil ? Double(recorded.last?.nanoseconds ?? 0) / 1e9 : nil,
            next: []
        )
    }

    /// What decided a simulated session.
    ///
    /// - Throws: ``SessionError/damaged(path:detail:)`` when it is not a recipe.
    public func recipe() throws(SessionError) -> Recipe {
        guard let text = manifest.recipe else { return Recipe(seed: manifest.seed) }
        guard let recipe = Recipe(text) else {
            throw .damaged(path: path, detail: "its recipe is “\(text)”, which cannot be read")
        }
        return recipe
    }
}
