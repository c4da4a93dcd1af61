public import Simulation
import Synchronization

/// How much of a run is kept.
public enum Recording: Sendable {
    /// Only what came of it.
    case nothing
    /// Decisions and faults, for ``RunResult/recorded``.
    case decisions
    /// Steps, tasks and events too, for ``RunResult/trace``.
    case everything
}

extension Program {
    /// Runs the program once, on the calling thread.
    ///
    /// A run that ends the process, by a crash, an exit or a hang, is named on standard error, with its recipe.
    ///
    /// - Parameters:
    ///   - recipe: What decides the run.
    ///   - recording: What is kept of it.
    ///   - adjust: Changes the configuration last.
    public func run(
        _ recipe: Recipe,
        recording: Recording = .nothing,
        adjust: (inout Simulation.Configuration) -> Void = { _ in }
    ) -> RunResult {
        var configuration = recipe.configuration
        let events = Events()
        switch recording {
        case .nothing: break
        case .decisions: configuration.recordsDecisions = true
        case .everything:
            configuration.recordsDecisions = true
            configuration.recordsSteps = true
            configuration.onEvent = { events.add($0) }
        }
        adjust(&configuration)
        let simulation = Simulation(seed: recipe.seed, configuration: configuration)
        let failure: Failure?
        do {
            try withNamedRun(
                "a run of the program \(name)",
                seed: recipe.seed,
                reproduction: reproduction(of: recipe)
            ) { try simulation.run(Simulation.acceptingCancellation(body)) }
            failure = nil
        } catch {
            failure = Failure(error)
        }
        let report = simulation.report
        var result = RunResult(recipe, failure, report)
        if configuration.recordsDecisions {
            result.recorded = recipe
            result.recorded?.decisions = report.decisions
            result.recorded?.firings = report.firings
            result.recorded?.cancellation = report.cancellationPoint
            // What was drawn is written out.
            result.recorded?.horizon = 0
            result.recorded?.build = .current
        }
        if configuration.recordsSteps { result.trace = simulation.trace(events: events.all) }
        return result
    }
}

/// Collects the events of one run.
private final class Events: Sendable {
    private let events = Mutex<[TraceEvent]>([])
    func add(_ event: TraceEvent) { events.withLock { $0.append(event) } }
    var all: [TraceEvent] { events.withLock { $0 } }
}
