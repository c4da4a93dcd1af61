/// Everything that decides one run of a program: paste it, and the same run happens again.
///
/// As text it is a list such as `seed=7 decisions=3:1,9:2 faults=loss+phone+gemini%234`, in which what is left out has
/// its default. Spaces in names are written `+`, other special characters `%` and two hexadecimal digits.
public struct Recipe: Sendable, Hashable, Codable {
    /// Decides what is left to chance.
    public var seed: UInt64
    /// How steps are chosen, unless ``decisions`` says it.
    public var strategy: Strategy
    /// Recorded decisions; the first ready step is taken where there is none.
    public var decisions: [Decision]?
    /// Departures from ``Schedule/runUntilBlocked(_:)``, which then is how steps are chosen.
    public var preemptions: [Preemption]?
    /// The faults that happen; `nil` lets chance decide.
    public var firings: [Firing]?
    /// Items of workloads that are left out, by label, ascending.
    public var omittedWork: [String: [Int]]
    /// When a task is cancelled; `nil` for never, unless the strategy does.
    public var cancellation: CancellationPoint?
    /// Where random numbers were drawn again, in order.
    public var branches: [Branch]
    /// A plan of faults, in the form that the program's world reads; `nil` for none.
    public var plan: String?
    /// How many steps a task of earlier runs had at most; see ``Simulation/Configuration/horizon``.
    public var horizon: Int
    /// Whether the thread pool may be late; see ``Simulation/Configuration/stalls``.
    public var stalls: Bool
    /// Whether sleeps end late and steps take time, as in ``Simulation/Configuration/timing``.
    ///
    /// `nil` where ``stalls`` decide it.
    public var timing: Simulation.Configuration.Timing?
    /// How the program was compiled when decisions were recorded; `nil` when none were, or when nobody knows.
    public var build: Build?

    /// A moment at which random numbers are drawn again.
    public struct Branch: Sendable, Hashable, Codable {
        /// The name of the `sometimes` or `branchPoint`, at whose first hit it happens.
        public var point: String
        /// Which of the futures from there, from 1.
        public var future: UInt64

        /// Makes a branch.
        public init(point: String, future: UInt64) {
            self.point = point
            self.future = future
        }
    }

    /// Makes a recipe.
    public init(
        seed: UInt64,
        strategy: Strategy = .random,
        decisions: [Decision]? = nil,
        preemptions: [Preemption]? = nil,
        firings: [Firing]? = nil,
        omittedWork: [String: [Int]] = [:],
        cancellation: CancellationPoint? = nil,
        branches: [Branch] = [],
        plan: String? = nil,
        horizon: Int = 0,
        stalls: Bool = true,
        timing: Simulation.Configuration.Timing? = nil,
        build: Build? = nil
    ) {
        self.seed = seed
        self.strategy = strategy
        self.decisions = decisions
        self.preemptions = preemptions
        self.firings = firings
        self.omittedWork = omittedWork
        self.cancellation = cancellation
        self.branches = branches
        self.plan = plan
        self.horizon = horizon
        self.stalls = stalls
        self.timing = timing
        self.build = build
    }

    /// Whether ``horizon`` decides anything.
    package var usesHorizon: Bool {
        let chosen = strategy.chosen(seed: seed)
        if cancellation == .drawn || (cancellation == nil && chosen.cancellation == .drawn) { return true }
        guard decisions == nil, preemptions == nil, case .priorities = chosen.schedule else { return false }
        return true
    }

    /// Sets what the recipe decides.
    public func apply(to configuration: inout Simulation.Configuration) {
        let chosen = strategy.chosen(seed: seed)
        configuration.schedule =
            preemptions.map { .runUntilBlocked($0) } ?? decisions.map { .replaying($0) } ?? chosen.schedule
        // A recorded run that was cancelled says where.
        configuration.cancellation =
            cancellation ?? (decisions == nil && preemptions == nil ? chosen.cancellation : nil)
        configuration.faults = firings.map { .only(Set($0)) } ?? .drawn
        configuration.omittedWork = omittedWork.mapValues { Set($0) }
        configuration.plan = plan
        configuration.horizon = horizon
        configuration.recordedIn = build
        configuration.stalls = stalls ? .drawn : .none
        if let timing { configuration.timing = timing }
        guard !branches.isEmpty else { return }
        let futures = branches
        configuration.onBranchPoint = { simulation, point in
            if let branch = futures.first(where: { $0.point == point }) { simulation.branch(to: branch) }
        }
    }
}

/// How a sweep chooses steps; one word each, for the command line.
public enum Strategy: String, Sendable, Hashable, Codable, CaseIterable {
    /// ``Schedule/firstInFirstOut``.
    case fifo
    /// ``Schedule/runUntilBlocked(_:)``.
    case runUntilBlocked
    /// ``Schedule/random``.
    case random
    /// ``Schedule/priorities(depth:)``, of a depth from 1 to 5 that the seed chooses.
    case pct
    /// ``Schedule/partialOrder``.
    case pos
    /// ``Schedule/reentrant``.
    case reentrant
    /// ``Schedule/sticky(decisions:)``, of 2 to 32 decisions, chosen by the seed.
    case sticky
    /// ``Schedule/random``, and one task is cancelled at a suspension that the seed chooses.
    case cancel
    /// Each of `random`, `pct`, `pos`, `reentrant` and `sticky` in turn, chosen by the seed.
    case portfolio

    /// What a seed makes of it.
    public func chosen(seed: UInt64) -> (schedule: Schedule, cancellation: CancellationPoint?) {
        switch self {
        case .fifo: (.firstInFirstOut, nil)
        case .runUntilBlocked: (.runUntilBlocked(), nil)
        case .random: (.random, nil)
        case .pct: (.priorities(depth: 1 + Int(seed % 5)), nil)
        case .pos: (.partialOrder, nil)
        case .reentrant: (.reentrant, nil)
        case .sticky: (.sticky(decisions: 2 << Int(seed % 5)), nil)
        case .cancel: (.random, .drawn)
        case .portfolio:
            [Strategy.random, .pct, .pos, .sticky, .reentrant][Int(seed % 5)].chosen(seed: seed / 5)
        }
    }
}
