import Glibc

/// How long something took, on the wall and on the processors.
struct Elapsed: Sendable {
    /// Seconds of real time.
    var wall: Double
    /// Seconds that this process was running: what a simulation costs, whatever else the machine does.
    ///
    /// A simulation runs on one thread, which need not be the caller's.
    var thread: Double

    /// Measures a body that is the only one that runs in this process.
    static func of<Value>(_ body: () throws -> Value) rethrows -> (value: Value, elapsed: Elapsed) {
        let start = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
        let value = try body()
        let end = (now(CLOCK_MONOTONIC), now(CLOCK_PROCESS_CPUTIME_ID))
        return (value, Elapsed(wall: end.0 - start.0, thread: end.1 - start.1))
    }

    /// Seconds on a clock of the system.
    static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
