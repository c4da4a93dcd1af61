import CSimulation
import Foundation
import Simulation

extension Program {
    /// Runs the program once in a process of its own, which a crash, an exit or a hang may end.
    ///
    /// This thread must be the only one that runs Swift code in this process meanwhile.
    func observeIsolated(
        _ recipe: Recipe,
        recording: Recording,
        namesTasks: Bool
    ) throws(ForkError) -> ObservedRun {
        shareSymbolsWithForks()
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw ForkError(code: errno) }
        let child = csim_fork()
        if child == 0 {
            close(ends[0])
            IsolatedRun(program: self, recipe: recipe, recording: recording, output: ends[1])
                .runAndExit(namesTasks: namesTasks)
        }
        let code = errno
        close(ends[1])
        defer { close(ends[0]) }
        guard child > 0 else { throw ForkError(code: code) }
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe Glibc.read(ends[0], &buffer, buffer.count)
            if count > 0 { received += buffer[..<count] }
            if count == 0 || (count < 0 && errno != EINTR) { break }
        }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        // A process that crashes again while it reports has written nothing, or only a part.
        if let run = try? JSONDecoder().decode(ObservedRun.self, from: received) { return run }
        var result = ObservedRun(failure: UnexpectedEnd(status).map { Failure($0) })
        result.recorded = recipe
        return result
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

    func runAndExit(namesTasks: Bool) -> Never {
        let ends = ForkedEnd { [self] failure, position, simulation in
            tell(Failure(failure), simulation, position)
        }
        ends.install()
        LoopThreadOwner.with(self) {
            let result = program.run(recipe, recording: recording) { configuration in
                configuration.namesTasks = namesTasks
                guard let onEvent = configuration.onEvent else { return }
                configuration.onEvent = { [events] event in
                    events.add(event)
                    onEvent(event)
                }
            }
            writeLine(ObservedRun(result), to: output)
        }
        withExtendedLifetime(ends) {}
        _exit(UnexpectedEnd.expectedCode)
    }

    func lose(_ simulation: Simulation, _ error: SimulationError) {
        tell(Failure(error), simulation, simulation.position)
        _exit(UnexpectedEnd.expectedCode)
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
