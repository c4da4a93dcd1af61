import SessionRecording
import Simulation

extension SessionReader {
    func replaySimulated(_ scenario: some Scenario, until: Duration?) throws -> ReplayReport {
        let recorded = try events()
        let comparison = Comparison()
        let events = EventComparison(recorded, isWhole: outcome != nil, comparison: comparison)
        // A recording that stops before its end says nothing about what came then.
        let end = until ?? (outcome == nil ? .nanoseconds(recorded.last?.nanoseconds ?? 0) : nil)
        var configuration = Simulation.Configuration()
        configuration.onEvent = { event in
            if end.map({ event.nanoseconds <= $0.nanoseconds }) ?? true { events.check(event) }
        }
        if let end { configuration.maximumTime = min(end, configuration.maximumTime) }
        let simulation = Simulation(seed: manifest.seed, configuration: configuration)
        var failure: String?
        var wasCut = false
        do { try simulation.run { try await scenario.run() } } catch SimulationError.timeLimit
            where end != nil
        {
            wasCut = true
        } catch {
            failure = "\(error)"
        }
        events.finish(until: wasCut ? end?.nanoseconds : nil)
        let report = simulation.report
        return ReplayReport(
            compared: comparison.compared,
            firstDifference: comparison.firstDifference,
            endings: endings(failure: failure, wasCut: wasCut),
            hashes: outcome.flatMap { recorded in
                wasCut || recorded.failure != nil || failure != nil ? nil : (recorded.hash, report.hash)
            },
            seconds: Double(report.time.nanoseconds) / 1e9,
            recordingIsIncomplete: outcome == nil
        )
    }
}
