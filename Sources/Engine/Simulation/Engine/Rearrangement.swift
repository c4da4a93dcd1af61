import CSimulation

/// A run that follows the order of an earlier one, in which one step may be delayed.
///
/// Of the ready steps the one runs that came first in the earlier run, so that both runs differ as little as they can.
package struct Rearrangement: Sendable, Hashable {
    /// A step that may not run before another one has.
    package struct Delay: Sendable, Hashable {
        /// Its task.
        package var task: Int
        /// How many steps that task has run before.
        package var steps: Int
        /// The task of the other step.
        package var untilTask: Int
        /// How many steps that one has run, the other step included; `nil` for all that it can run without that time passes.
        package var untilSteps: Int?

        /// Delays a step.
        package init(task: Int, steps: Int, untilTask: Int, untilSteps: Int?) {
            self.task = task
            self.steps = steps
            self.untilTask = untilTask
            self.untilSteps = untilSteps
        }
    }

    /// Something that the program did in the earlier run, and does not do in this one.
    package enum Omission: Sendable, Hashable {
        /// A cancellation of a task or a group by the program, counted from 1.
        case cancellation(Int)
        /// A step of a wall clock, counted from 1.
        case clockStep(Int)
        /// The end of the sleep that a task begins in one of its steps, counted from 1.
        case wakeUp(task: Int, step: Int)
    }

    /// Whose steps ran, in order.
    let owners: [UInt32]
    /// The step that is delayed; `nil` for none.
    package var delay: Delay?
    /// What is left out; `nil` for nothing.
    package var omission: Omission?

    /// Follows the order of a run.
    package init(_ trace: Trace) {
        owners = trace.steps.map { step in
            step.task > 0
                ? UInt32(clamping: step.task)
                : csim_owner_of_step(step.kind.rawValue, UInt32(clamping: step.node))
        }
    }

    @unsafe func apply(to world: OpaquePointer) {
        var raw = csim_delay()
        if let delay {
            raw.task = UInt32(clamping: delay.task)
            raw.steps = UInt32(clamping: delay.steps)
            raw.until_task = UInt32(clamping: delay.untilTask)
            raw.until_steps = delay.untilSteps.map { UInt32(clamping: $0) } ?? .max
        }
        unsafe csim_follow(world, owners, owners.count, raw)
        switch omission {
        case .cancellation(let number): unsafe csim_leave_out_cancellation(world, UInt64(clamping: number))
        case .wakeUp(let task, let step):
            unsafe csim_leave_out_wake_up(world, UInt32(clamping: task), UInt32(clamping: step))
        case .clockStep, nil: break
        }
    }
}
