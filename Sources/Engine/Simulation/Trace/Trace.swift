/// Everything that is kept of a run for people to look at: its steps, what caused each, its tasks and its events.
public struct Trace: Sendable, Codable {
    /// One step of the scheduler.
    public struct Step: Sendable, Hashable, Codable {
        /// Virtual time since the start, in nanoseconds.
        public var nanoseconds: Int64
        /// Index into ``Trace/nodes``.
        public var node: Int
        /// The number of the task, which is ``Trace/TaskRecord/id``; 0 when the step is no task's own.
        public var task: Int
        /// What ran.
        public var kind: StepKind
        /// The number of the step that made this one ready; 0 for none.
        ///
        /// Steps are numbered from 1.
        public var cause: Int
        /// Which of the ready ones was taken, from 0.
        public var choice: Int
        /// How many were ready.
        public var ready: Int
        /// Whether the scheduler has chosen it although another task could go on that had run last, or although another step had
        /// waited longer.
        public var preempts: Bool
        /// Where the code goes on that the step runs; an index into ``Trace/places``, 0 when not known.
        public var place: Int
        /// The call stack with which it goes on; an index into ``Trace/stacks``, 0 when not known.
        public var stack: Int
        /// Whether it is the first step of its task, whose place is where the task was spawned.
        public var begins: Bool
        /// The actor on which it runs; an index into ``Trace/actors``, 0 for none and for the main actor.
        public var actor: Int

        /// Makes a step.
        public init(
            nanoseconds: Int64,
            node: Int,
            task: Int,
            kind: StepKind,
            cause: Int,
            choice: Int,
            ready: Int,
            preempts: Bool = false,
            place: Int = 0,
            stack: Int = 0,
            begins: Bool = false,
            actor: Int = 0
        ) {
            self.nanoseconds = nanoseconds
            self.node = node
            self.task = task
            self.kind = kind
            self.cause = cause
            self.choice = choice
            self.ready = ready
            self.preempts = preempts
            self.place = place
            self.stack = stack
            self.begins = begins
            self.actor = actor
        }
    }

    /// A line of the program.
    public struct Place: Sendable, Hashable, Codable {
        /// The function, demangled.
        public var function: String
        /// The file's path; empty when not known.
        public var file: String
        /// The line, from 1; 0 when not known.
        public var line: Int

        /// No place.
        public static let none = Place(function: "", file: "", line: 0)

        /// Makes a place.
        public init(function: String, file: String, line: Int) {
            self.function = function
            self.file = file
            self.line = line
        }

        /// The file's name and the line, such as `Bank.swift:12`; empty when not known.
        public var name: String {
            line > 0 ? "\(file.split(separator: "/").last ?? ""):\(line)" : ""
        }
    }

    /// One task.
    public struct TaskRecord: Sendable, Hashable, Codable {
        /// 1, 2, 3 … in order of first enqueueing.
        public var id: Int
        /// The task's name; empty for none.
        public var name: String
        /// The number of the task that made it; 0 for none.
        public var parent: Int
        /// Index into ``Trace/nodes``.
        public var node: Int
        /// When it was made, in nanoseconds of virtual time.
        public var nanoseconds: Int64
        /// Where it was made: function and `file:line`; empty when not known.
        public var place: String

        /// Makes a record.
        public init(id: Int, name: String, parent: Int, node: Int, nanoseconds: Int64, place: String) {
            self.id = id
            self.name = name
            self.parent = parent
            self.node = node
            self.nanoseconds = nanoseconds
            self.place = place
        }
    }

    /// A moment that explains the run, and where the program was.
    public struct Mark: Sendable, Hashable, Codable {
        /// The fault that happened; `nil` for the failure.
        public var fault: Firing?
        /// The number of the step in which it did; 0 before the first.
        public var step: Int
        /// Index into ``Trace/stacks``; 0 when not known.
        public var stack: Int

        /// Makes a mark.
        public init(fault: Firing?, step: Int, stack: Int) {
            self.fault = fault
            self.step = step
            self.stack = stack
        }
    }

    /// Something that the program did, once, of which it depends whether something else happens.
    public struct Act: Sendable, Hashable, Codable {
        /// What kind of act.
        public enum Kind: String, Sendable, Hashable, Codable {
            /// A call of `cancel()` or `cancelAll()`.
            case cancellation
            /// A step of a wall clock.
            case clockStep
        }

        /// What kind of act.
        public var kind: Kind
        /// The number of the step in which it was; 0 before the first.
        public var step: Int
        /// Where it was; an index into ``Trace/stacks``, 0 when not known.
        public var stack: Int
        /// The task that was cancelled; 0 for those of a group.
        public var task: Int
        /// The node whose clock was set, and by how much.
        public var detail: String

        /// Makes an act.
        public init(kind: Kind, step: Int, stack: Int, task: Int, detail: String) {
            self.kind = kind
            self.step = step
            self.stack = stack
            self.task = task
            self.detail = detail
        }
    }

    /// Names of the nodes.
    public var nodes: [String]
    /// All steps, in order; the first one is number 1.
    public var steps: [Step]
    /// All tasks, by number.
    public var tasks: [TaskRecord]
    /// Places in the program's source at which steps begin; the first one stands for none.
    public var places: [Place]
    /// Call stacks with which steps go on: indices into ``places``, innermost first; the first one is empty.
    public var stacks: [[Int]]
    /// The faults that happened, and last the failure, if its place is known.
    public var marks: [Mark]
    /// Cancellations by the program, in their order, and then steps of clocks.
    public var acts: [Act]
    /// Types of the actors, by number; the first one stands for none.
    public var actors: [String]
    /// What the simulated world noted: messages, faults, checks, state, logs.
    ///
    /// `TraceEvent.step` is the number of the step in which it happened; 0 before the first.
    public var events: [TraceEvent]

    /// Makes a trace.
    public init(
        nodes: [String],
        steps: [Step],
        tasks: [TaskRecord],
        events: [TraceEvent],
        places: [Place] = [.none],
        stacks: [[Int]] = [[]],
        marks: [Mark] = [],
        acts: [Act] = [],
        actors: [String] = [""]
    ) {
        self.nodes = nodes
        self.steps = steps
        self.tasks = tasks
        self.events = events
        self.places = places
        self.stacks = stacks
        self.marks = marks
        self.acts = acts
        self.actors = actors
    }
}
