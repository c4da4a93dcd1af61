import CSimulation
import Synchronization

/// A run of a few steps before the first simulation of a process, which shows whether the Swift runtime is one that the engine
/// knows; otherwise a sentence says what is different, and the process ends.
///
/// It uses each layout in `runtime_layout.h` and by what steps depend on: tasks and children, `async let`, names, yields,
/// jobs of an actor that is busy, sleeps, continuations, and a task that is frozen and thawed. It takes some hundred microseconds.
package enum RuntimeProbe {
    /// Runs it, unless it has run in this process or in one from which this one was forked.
    package static func runOnce() { once }

    private static let once: Void = run()

    private actor Busy {
        private(set) var visits = 0
        func visit() async {
            await Task.yield()
            visits += 1
        }
    }

    /// What has happened.
    private final class Course: Sendable {
        struct Marks {
            var slept = Duration.zero
            var visits = 0
            /// Whether the frozen task has gone on before the end, and after it.
            var goesOn = false
            var isThawed = false
            var frozen: CheckedContinuation<Void, Never>?
        }

        private let marks = Mutex(Marks())

        func mark(_ change: (inout sending Marks) -> Void) { marks.withLock { change(&$0) } }

        var frozen: CheckedContinuation<Void, Never>? { marks.withLock { $0.frozen } }

        var isRight: Bool {
            marks.withLock { $0.slept >= .milliseconds(1) && $0.visits == 2 && !$0.goesOn && $0.isThawed }
        }
    }

    private static func run() {
        var configuration = Simulation.Configuration()
        configuration.unwindsCrashedNodes = true
        let simulation = Simulation(seed: 0, configuration: configuration)
        unsafe csim_begin_probe(simulation.world)
        let course = Course()
        let ends = simulation.runAsProbe {
            let busy = Busy()
            async let first: Void = busy.visit()
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                group.addTask(name: "probe") { await busy.visit() }
                group.addTask { try? await Task.sleep(for: .milliseconds(1)) }
                await Task.yield()
                unsafe csim_probe_tasks(simulation.world)
            }
            let slept = ContinuousClock.now - start
            await first
            let visits = await busy.visits
            course.mark { ($0.slept, $0.visits) = (slept, visits) }
            let node = simulation.node("probe")
            node.start {
                await withCheckedContinuation { continuation in course.mark { $0.frozen = continuation } }
                course.mark { simulation.isOver ? ($0.isThawed = true) : ($0.goesOn = true) }
            }
            for _ in 0..<10 where course.frozen == nil { await Task.yield() }
            node.crash()
            course.frozen?.resume()
            await Task.yield()
        }
        unsafe csim_end_probe(simulation.world, ends && course.isRight)
    }
}
