extension Simulation {
    /// What may differ between simulations of one program.
    public struct Configuration: Sendable {
        /// How fast virtual time passes.
        public enum Pace: Sendable, Hashable {
            /// As fast as possible: time jumps to the next timer.
            case virtual
            /// Like real time, so that ``Simulation/outside(_:)`` may talk to the real world.
            case real
        }

        /// When the thread pool is late.
        public enum Stalls: Sendable, Hashable {
            /// Never: virtual time passes only while nothing can run.
            case none
            /// In about half of the seeds, now and then, by up to 100 milliseconds of virtual time: decisions of the fault
            /// source `stall`.
            case drawn
        }

        /// How exactly virtual time is kept.
        public enum Timing: String, Sendable, Hashable, Codable {
            /// A sleep ends in the very nanosecond for which it was asked, and nothing else takes time, so that times can be
            /// predicted.
            case exact
            /// As outside: a sleep ends 1 to 67 microseconds late, and a step takes 16 to 271 nanoseconds; what a step does,
            /// such as reading a clock, takes none. The seed draws how much; sleeps that were to end at nearly the same moment
            /// often end at one moment, in any order, and no sleep ends before one that was to end earlier.
            case drawn
        }

        /// How the next step is chosen; ``Schedule/random`` unless it is set.
        public var schedule: Schedule {
            get { setSchedule ?? .random }
            set { setSchedule = newValue }
        }
        /// The order of an earlier run that is followed in place of ``schedule``.
        package var rearrangement: Rearrangement?
        /// What ``schedule`` was set to, if it was: then nobody chooses another one for each seed.
        package private(set) var setSchedule: Schedule?
        /// How fast virtual time passes.
        public var pace: Pace = .virtual
        /// The wall clock at the start, in seconds since 1970; the default is 2026-01-01T00:00:00Z.
        public var startOfTime: Duration = .seconds(1_767_225_600)
        /// Virtual time without a step of the body's own task after which the run is ended with an error; a sleep of that
        /// task does not count.
        ///
        /// It ends a test that waits for what never comes while something else, such as a heartbeat, goes on and on.
        public var maximumWait: Duration = .seconds(86_400)
        /// Whether the thread pool may be late, so that timers compete with work that is ready.
        public var stalls: Stalls {
            get { setStalls ?? .none }
            set { setStalls = newValue }
        }
        /// What ``stalls`` was set to, if it was.
        package private(set) var setStalls: Stalls?
        /// Whether sleeps end late, and steps take time, so that `now > deadline` holds after a sleep, as it does outside.
        ///
        /// Unless it is set it is ``Timing/drawn`` where ``stalls`` are, as in tests with `.simulated`, and ``Timing/exact``
        /// otherwise. Set it to ``Timing/exact`` for a test that compares virtual times with `==`, and `stalls` to
        /// ``Stalls/none``. It has no effect in ``Pace/real``, nor where a ``StepChooser`` chooses: there steps have to be
        /// independent of each other.
        public var timing: Timing {
            get { setTiming ?? (stalls == .drawn ? .drawn : .exact) }
            set { setTiming = newValue }
        }
        /// What ``timing`` was set to, if it was.
        package private(set) var setTiming: Timing?
        /// How many steps a task of earlier runs had at most; 0 when not known.
        ///
        /// With it ``Schedule/priorities(depth:)`` and a drawn cancellation reach the end of long runs. See
        /// ``SimulationReport/longestTask``.
        public var horizon = 0
        /// Steps after which the run is ended with an error: within seconds, where a loop never sleeps.
        public var maximumSteps: UInt64 = 10_000_000
        /// Virtual time after which the run is ended with an error.
        public var maximumTime: Duration = .seconds(400 * 86_400)
        /// Real time after which a single step is taken for a hang, which ends the process with a message; zero for never.
        ///
        /// The environment variable `LENSSIM_STEP_TIMEOUT`, in seconds, overrides it. Simulations in real pace are not
        /// watched: they wait on purpose.
        public var stepTimeout: Duration = .seconds(10)
        /// The kinds of escape that this program may make; any other ends the run with an error.
        public var allowedEscapes: Set<Escape.Kind> = []
        /// What becomes of work for Dispatch; refused by default.
        ///
        /// The environment variable `LENSSIM_DISPATCH`, `simulated` or `refused`, overrides it.
        public var dispatch: Dispatch = .refused
        /// What becomes of threads; refused by default.
        ///
        /// Where they are simulated, so is Dispatch.
        ///
        /// The environment variable `LENSSIM_THREADS`, `simulated` or `refused`, overrides it.
        public var threads: Threads = .refused
        /// Whether decisions are kept for ``SimulationReport/decisions``.
        public var recordsDecisions = false
        /// Whether steps and tasks are kept for ``Simulation/trace(events:)``.
        public var recordsSteps = false
        /// Whether ``SimulationReport/taskNames`` is wanted; it takes a look at the debug information for each place that spawns
        /// tasks.
        public var namesTasks = false
        /// How the program was compiled when the decisions were recorded that this configuration repeats; `nil` when they were
        /// not, or nobody knows.
        public var recordedIn: Build?
        /// The point at which a task is cancelled; `nil` for none.
        public var cancellation: CancellationPoint?
        /// Whether tasks that do not end when they are cancelled after the body's end are an error.
        public var forbidsLeftovers = false
        /// Whether tasks of nodes that have crashed are cancelled and run out when the run is over, so that they give back what
        /// they hold; otherwise they stay in memory.
        ///
        /// Only for a run whose result nothing can change that happens after its end.
        package var unwindsCrashedNodes = false
        /// Which faults happen.
        public var faults: FaultPolicy = .drawn
        /// Items that ``Simulation/work(_:count:)`` leaves out, by label.
        public var omittedWork: [String: Set<Int>] = [:]
        /// A plan of faults, in the form that the world reads; the engine only carries it.
        public var plan: String?
        /// Where replayed decisions have come to their end: the number of the future that begins there, in which steps are chosen by
        /// chance, and faults as the plan has them; `nil` where the oldest step goes on.
        package var future: UInt64?
        /// Called at the first hit of each `sometimes` and `branchPoint`, with its name.
        public var onBranchPoint: (@Sendable (Simulation, String) -> Void)?
        /// Receives what the simulated world notes, in order; `nil` costs nothing.
        public var onEvent: (@Sendable (TraceEvent) -> Void)?

        /// What becomes of work for Dispatch.
        public enum Dispatch: Sendable, Hashable {
            /// It is an escape of the kind ``Escape/Kind/dispatch``.
            case refused
            /// It runs in the simulation, in virtual time: queues, barriers, groups, work items, timers, sources of data and of signals,
            /// which are those that the program sends to itself.
            ///
            /// Each block is a step; nothing else runs at the same time. Code that waits for a group, a semaphore or a work item, or enters a
            /// queue by `sync`, runs what has to come before it, in order of age; what would have to be done by a task that is
            /// suspended ends the run as blocked. Has no effect in ``Pace/real``.
            case simulated
        }

        /// What becomes of threads.
        public enum Threads: Sendable, Hashable {
            /// Starting one is an escape of the kind ``Escape/Kind/thread``.
            case refused
            /// They run in the simulation, one at a time, each on a stack of its own with its own thread-local storage, in virtual time:
            /// `Thread`, `pthread_create` and what stands on them.
            ///
            /// Code that waits, for a lock, a condition, a semaphore, a thread or a moment, lets others run meanwhile; where nobody can, the
            /// run ends as blocked. In about three quarters of the seeds code is also interrupted where it takes or gives back a
            /// lock: decisions of the fault source `interruption`. Needs an x86-64 with Linux 5.9 or later; elsewhere threads are
            /// refused. Has no effect in ``Pace/real``.
            case simulated
        }

        /// The defaults.
        public init() {}
    }
}
