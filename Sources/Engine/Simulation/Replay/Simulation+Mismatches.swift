import CSimulation

extension Simulation {
    /// What was to decide this run, by its configuration, and did not: each in a sentence, with what was expected.
    func mismatches() -> [String] {
        var mismatches: [String] = []
        if let build = configuration.recordedIn, build != .current {
            mismatches.append(
                "it was recorded in a \(build) build, and this is a \(Build.current) build, whose tasks may run other steps"
            )
        }
        let departures = unsafe csim_departures(world)
        if departures > 0 {
            let first = unsafe csim_first_departure(world)
            mismatches.append(
                "\(departures) scheduling decisions did not fit, the first after \(first.step) steps"
            )
        }
        if let unused = unsafe csim_unused_preemption(world) {
            let preemption = unsafe Preemption(unused.pointee, taskNames)
            mismatches.append("the preemption \(preemption) was not reached")
        }
        let decisions = unsafe csim_unused_choices(world)
        if decisions > 0 { mismatches.append("the run ended before \(decisions) of the recorded decisions") }
        if case .only(let expected) = configuration.faults {
            for firing in expected.subtracting(firings).sorted() {
                mismatches.append("the fault \(firing) did not happen")
            }
        }
        if case .after(let task, let steps) = configuration.cancellation,
            unsafe csim_cancellations(world) == 0
        {
            mismatches.append("task \(task) did not run \(steps) steps, after which it was to be cancelled")
        }
        for label in configuration.omittedWork.keys.sorted() where workloads[label] == nil {
            mismatches.append("the workload “\(label)” was not asked for")
        }
        return mismatches
    }
}
