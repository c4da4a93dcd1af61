import Glibc

/// How long something took, on the wall and on the calling thread's processor.
struct Elapsed: Sendable {
    /// Seconds of real time.
    var wall: Double
    /// Seconds that the calling thread was running: what a simulation costs, whatever else the machine does.
    var thread: Double

    /// Measures a body that runs on the calling thread alone.
    static func of<Value>(_ body: () throws -> Value) rethrows -> (value: Value, elapsed: Elapsed) {
        let start = (now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID))
        let value = try body()
        let end = (now(CLOCK_MONOTONIC), now(CLOCK_THREAD_CPUTIME_ID))
        return (value, Elapsed(wall: end.0 - start.0, thread: end.1 - start.1))
    }

    /// Seconds on a clock of the system.
    static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
