import CSimulation

/// How the next step is chosen where several are ready.
public enum Schedule: Sendable {
    /// In the order in which they became ready.
    case firstInFirstOut
    /// Any of them, chosen by the seed.
    case random
    /// Probabilistic concurrency testing: the task of highest priority runs, and `depth` − 1 times in a run a task
    /// falls behind all others.
    ///
    /// Finds a bug that needs `depth` orderings of steps with a probability that has a lower bound.
    /// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte: A randomized scheduler with probabilistic guarantees of
    /// finding bugs, ASPLOS 2010.
    case priorities(depth: Int)
    /// Partial order sampling: each ready step has a random priority, drawn again when a step ran that touches the same.
    ///
    /// Source: Yuan, Yang, Gu: Partial order aware concurrency sampling, CAV 2018.
    case partialOrder
    /// Like random, but prefers steps of an actor that another task has left in the middle of a method.
    case reentrant
    /// The task that ran last, as long as it is ready; otherwise in the order in which they became ready.
    ///
    /// But for the preemptions: most bugs need only a few (Musuvathi, Qadeer: Iterative context bounding, PLDI 2007), so that
    /// they make for short recipes.
    case runUntilBlocked([Preemption] = [])
    /// ``runUntilBlocked(_:)``, but one choice of so many, at least 1, is any of the ready steps, chosen by the seed.
    case sticky(decisions: Int)
    /// The decisions of an earlier run; where they do not fit any more, the nearest that is ready.
    case replaying([Decision])
    /// What a chooser decides, step by step.
    case chosen(StepChooser)
}

extension Schedule {
    var strategy: csim_strategy {
        switch self {
        case .firstInFirstOut: CSIM_FIFO
        case .random: CSIM_RANDOM
        case .priorities: CSIM_PRIORITIES
        case .partialOrder: CSIM_PARTIAL_ORDER
        case .reentrant: CSIM_REENTRANT
        case .runUntilBlocked: CSIM_RUN_UNTIL_BLOCKED
        case .sticky: CSIM_STICKY
        case .replaying: CSIM_REPLAY
        case .chosen: CSIM_CHOOSER
        }
    }
}
