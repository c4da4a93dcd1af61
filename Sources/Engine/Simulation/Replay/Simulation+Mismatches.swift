import CSimulation

extension Simulation {
    /// What was to decide this run, by its configuration, and did not: each in a sentence, with what was expected.
    func mismatches() -> [String] {
        var mismatches: [String] = []
        let departures = unsafe csim_departures(world)
        if departures > 0 {
            let first = unsafe csim_first_departure(world)
            mismatches.append(
                "\(departures) scheduling decisions did not fit, the first after \(first.step) steps"
            )
        }
        if let unused = unsafe csim_unused_switch(world) {
            let preemption = unsafe Preemption(unused.pointee)
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

extension Preemption {
    fileprivate init(_ raw: csim_switch) {
        self.init(
            after: Int(raw.after),
            steps: Int(raw.after_steps),
            to: raw.task == 0
                ? .step(StepKind(rawValue: raw.kind) ?? .event, node: Int(raw.node)) : .task(Int(raw.task))
        )
    }
}
