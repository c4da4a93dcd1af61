import CSimulation
import Foundation
package import Simulation

extension Program {
    /// Runs the program once in a process of its own, which a crash, an exit or a hang may end.
    ///
    /// Other threads of this process should be idle.
    func observeIsolated(
        _ recipe: Recipe,
        recording: Recording,
        namesTasks: Bool,
        mostSteps: Int? = nil
    ) throws(ForkError) -> ObservedRun {
        shareSymbolsWithForks()
        let child = try ChildProcess { output in
            discardOutput()
            IsolatedRun(program: self, recipe: recipe, recording: recording, output: output)
                .runAndExit(namesTasks: namesTasks, mostSteps: mostSteps)
        }
        let received = child.allLines()
        let status = child.end()
        // A process that crashes again while it reports has written nothing, or only a part.
        if let line = received.last, let run = try? JSONDecoder().decode(ObservedRun.self, from: line) {
            return run
        }
        var result = ObservedRun(failure: UnexpectedEnd(status).map { Failure($0) } ?? Failure(LostResult()))
        result.recorded = recipe
        return result
    }

    /// How many steps the longest task of a run has, in a process of its own unless that is not wanted; 0 where none is known.
    package func longestTask(of recipe: Recipe, isolated: Bool) throws(ForkError) -> Int {
        try observe(recipe, isolated: isolated).longestTask
    }

    /// Whether a run fails in a process of its own as it has failed before.
    package func fails(like failed: SweepResult.FailedRun) throws(ForkError) -> Bool {
        let run = try observeIsolated(failed.recipe, recording: .nothing, namesTasks: false)
        // Where a step that does not end is found is a matter of the moment.
        if failed.failure.ending == .hang { return run.failure?.ending == .hang }
        return run.failure?.fingerprint == failed.failure.fingerprint
    }
}

extension ObservedRun {
    /// A run of which nothing is known but how it failed.
    fileprivate init(failure: Failure?) {
        self.failure = failure
        decisions = []
        preemptions = []
        workloads = [:]
        taskNames = []
        mismatches = []
        steps = 0
        longestTask = 0
    }
}

/// One run in a forked process.
private final class IsolatedRun: LosesThreads {
    private let program: Program
    private let recipe: Recipe
    private let recording: Recording
    private let output: Int32
    private let events = Events()

    init(program: Program, recipe: Recipe, recording: Recording, output: Int32) {
        self.program = program
        self.recipe = recipe
        self.recording = recording
        self.output = output
    }

    func runAndExit(namesTasks: Bool, mostSteps: Int?) -> Never {
        let ends = ForkedEnd { [self] failure, position, simulation in
            tell(Failure(failure), simulation, position)
        }
        ends.install()
        LoopThreadOwner.with(self) {
            let result = program.run(recipe, recording: recording) { configuration in
                configuration.namesTasks = namesTasks
                if let mostSteps {
                    configuration.maximumSteps = min(configuration.maximumSteps, UInt64(clamping: mostSteps))
                }
                guard let onEvent = configuration.onEvent else { return }
                configuration.onEvent = { [events] event in
                    events.add(event)
                    onEvent(event)
                }
            }
            writeLine(ObservedRun(result), to: output)
        }
        withExtendedLifetime(ends) {}
        leaveWorker()
    }

    func lose(_ simulation: Simulation, _ error: SimulationError) {
        tell(Failure(error), simulation, simulation.position)
        leaveWorker()
    }

    private func tell(_ failure: Failure, _ simulation: Simulation?, _ position: Position) {
        // A thread that hangs may hold what is asked for here.
        guard let simulation else {
            var run = ObservedRun(failure: failure)
            run.steps = position.step
            return writeLine(run, to: output)
        }
        let result = RunResult(of: simulation, recipe, failure, events: events.all)
        writeLine(ObservedRun(result), to: output)
    }
}
