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
        var configuration = configuration(for: recipe)
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
        var waiting: Set<Int> = []
        do {
            try withNamedRun(
                title ?? "a run of the program \(name)",
                seed: recipe.seed,
                reproduction: reproduction(of: recipe)
            ) { try simulation.run(Simulation.acceptingCancellation(body)) }
            failure = nil
        } catch {
            failure = Failure(error)
            switch error as? SimulationError {
            case .stuck(let report), .waitLimit(let report, _), .leftovers(let report):
                waiting = Set(report.waiting.map(\.id))
            default: break
            }
        }
        var result = RunResult(of: simulation, recipe, failure, events: events.all)
        result.waiting = waiting
        return result
    }
}

extension RunResult {
    /// What a simulation has recorded of its run.
    init(of simulation: Simulation, _ recipe: Recipe, _ failure: Failure?, events: [TraceEvent]) {
        let report = simulation.report
        self.init(recipe, failure, report)
        if simulation.configuration.recordsDecisions {
            recorded = recipe
            recorded?.decisions = report.decisions
            recorded?.firings = report.firings
            recorded?.cancellation = report.cancellationPoint
            // What was drawn is written out.
            recorded?.horizon = 0
            recorded?.build = .current
        }
        if simulation.configuration.recordsSteps { trace = simulation.trace(events: events) }
    }
}

extension Program {
    /// Runs the program twice and compares every step.
    ///
    /// - Returns: How the two runs differ; `nil` when they are the same, whether they failed or not.
    public func divergence(_ recipe: Recipe) -> Failure? {
        do {
            _ = try withNamedRun(
                title ?? "a run of the program \(name)",
                seed: recipe.seed,
                reproduction: reproduction(of: recipe)
            ) {
                try Simulation.checkDeterminism(
                    seed: recipe.seed,
                    configuration: configuration(for: recipe),
                    Simulation.acceptingCancellation(body)
                )
            }
            return nil
        } catch let error as SimulationError {
            guard case .diverged = error else { return nil }
            return Failure(error)
        } catch {
            return nil
        }
    }
}

/// Collects the events of one run.
final class Events: Sendable {
    private let events = Mutex<[TraceEvent]>([])
    func add(_ event: TraceEvent) { events.withLock { $0.append(event) } }
    var all: [TraceEvent] { events.withLock { $0 } }
}
