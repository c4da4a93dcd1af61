import CSimulation

/// The wall clock of one node, which may be wrong.
///
/// Only `Date()` and what else reads the time of day is affected. The monotonic clock, and so every sleep, always runs
/// true, as that of a machine does as far as its programs can tell.
public struct WallClock {
    let node: UInt32
    let name: String
    let simulation: Simulation

    /// Moves it, forward or back, as a time server or a user does.
    public func step(by time: Duration) {
        guard simulation.happens(.clockStep(node: name, by: time)) else { return }
        simulation.note("fault", "clock step \(name) \(time.wholeNanoseconds)")
        unsafe csim_set_wall(simulation.world, node, time.wholeNanoseconds, drift.inPartsPerBillion)
    }

    /// How much faster than true time it runs, in parts per million, -500,000…500,000; 0 at first.
    ///
    /// A cheap oscillator stays within 100 (NTP gives up at 500).
    public var drift: Double {
        get { simulation.drifts[node] ?? 0 }
        nonmutating set {
            precondition(abs(newValue) <= 500_000, "a clock drifts by less than half of its rate")
            simulation.note("fault", "clock drift \(name) \(newValue)")
            simulation.drifts[node] = newValue
            unsafe csim_set_wall(simulation.world, node, 0, newValue.inPartsPerBillion)
        }
    }

    /// What it says now: the time since the start of 1970 in UTC.
    public var time: Duration { .nanoseconds(unsafe csim_node_wall(simulation.world, node)) }

    /// How far it is ahead of true time now.
    public var error: Duration {
        time - (simulation.configuration.startOfTime + simulation.now)
    }
}

extension Double {
    fileprivate var inPartsPerBillion: Int64 { Int64((self * 1000).rounded()) }
}
