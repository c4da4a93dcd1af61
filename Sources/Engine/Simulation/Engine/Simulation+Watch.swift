package import CSimulation

extension Simulation {
    /// Waits on purpose within a step, which then is not taken for a hang.
    package func waitingOnPurpose<Result>(_ wait: () throws -> Result) rethrows -> Result {
        csim_pause_watch(true)
        defer { csim_pause_watch(false) }
        return try wait()
    }
}

/// A step that did not end.
package struct HungStep: Sendable {
    /// Which step, and when.
    package var position: Position
    /// Real time that it has taken.
    package var waited: Duration
    /// Where the running code is, innermost first, without the engine's and the runtime's own frames.
    package var places: [SourceFrame]
    /// Whose step it is, as “task 2 “upload” on node phone”; `nil` where no task ran.
    package var runner: String?
    /// What the run had called before that no simulation can hold.
    package var escape: Escape?

    /// Reads what the watchdog has found.
    @unsafe package init(_ hang: UnsafePointer<csim_hang>) {
        let hang = unsafe hang.pointee
        position = unsafe Position(
            seed: hang.seed,
            step: Int(hang.steps),
            time: .nanoseconds(hang.time_ns - originOfTime)
        )
        waited = unsafe .nanoseconds(hang.waited_ns)
        places = unsafe SourceFrame.user(addresses(hang.frames, hang.frame_count))
        escape = unsafe hang.first_escape.map { unsafe Escape($0) }
        guard unsafe hang.task > 0, let node = unsafe hang.node else { return }
        let name = unsafe hang.task_name.map { " “\(unsafe String(cString: $0))”" } ?? ""
        runner = unsafe "task \(hang.task)\(name) on node \(String(cString: node))"
    }
}
