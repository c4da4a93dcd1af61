// The only file that uses what the toolchain does not guarantee: custom executors (SE-0505's pitch, SPI), scheduling
// (SPI), the symbolication of bare addresses (SPI) and where errors are kept. `ToolchainCanaryTests` fails loudly when one of them changes.

import CSimulation
@_spi(Internal) import Runtime
import Synchronization
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

// MARK: Executors

/// The executors of the whole process: to the current simulation where there is one, to the platform otherwise.
private enum SimulationExecutors: ExecutorFactory {
    static let global = GlobalExecutor()
    static let main = MainActorExecutor()
    static let park = ParkExecutor()

    static var mainExecutor: any MainExecutor { main }
    static var defaultExecutor: any TaskExecutor { global }
}

/// Makes our executors the process's own.
///
/// Called by a C constructor, before anything asynchronous runs. What C calls back are functions: a constant of a C function's
/// type whose parameters are incomplete structures makes the symbol graph extractor of Swift 6.3 crash.
@c(csim_install_executors) @implementation
public func csim_install_executors() {
    _createExecutors(factory: SimulationExecutors.self)
    unsafe csim_set_probe_handler(answerProbe)
    unsafe csim_set_fault_value_handler(answerFaultValue)
    unsafe csim_set_release(releaseEvent)
    unsafe csim_set_blocked_handler(endBlockedRun)
    unsafe csim_set_stall_handler(noteStall)
    unsafe csim_set_interruption_handler(noteInterruption)
    unsafe csim_set_executors(
        unsafeBitCast(SimulationExecutors.global.asUnownedTaskExecutor(), to: csim_executor.self),
        unsafeBitCast(SimulationExecutors.main.asUnownedSerialExecutor(), to: csim_executor.self),
        unsafeBitCast(SimulationExecutors.park.asUnownedSerialExecutor(), to: csim_executor.self)
    )
}

private final class GlobalExecutor: TaskExecutor, SchedulingExecutor {
    private let platform: any TaskExecutor & SchedulingExecutor = {
        guard
            let platform = PlatformExecutorFactory.defaultExecutor as? any TaskExecutor & SchedulingExecutor
        else {
            preconditionFailure("the platform's executor cannot schedule: this toolchain is not supported")
        }
        return platform
    }()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let world = unsafe csim_get_current() {
            unsafe csim_enqueue(world, pointer(to: job))
        } else if unsafe !csim_claim_foreign(pointer(to: job), false) {
            if csim_has_one_thread() { return OneThread.enqueue(job, runner) }
            platform.enqueue(ExecutorJob(job))
        }
    }

    private var runner: OneThread.Runner {
        { job in unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        guard let world = unsafe csim_get_current() else {
            if csim_has_one_thread() {
                return OneThread.enqueue(UnownedJob(job), after: nanoseconds(of: delay, on: clock), runner)
            }
            return platform.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
        }
        let time = unsafe csim_moment_after(world, nanoseconds(of: delay, on: clock))
        unsafe csim_enqueue_at(world, pointer(to: job), time, false)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        guard let world = unsafe csim_get_current() else {
            if csim_has_one_thread() {
                let delay = nanoseconds(of: clock.now.duration(to: instant), on: clock)
                return OneThread.enqueue(UnownedJob(job), after: delay, runner)
            }
            return platform.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
        }
        unsafe csim_enqueue_at(world, pointer(to: job), nanoseconds(at: instant, of: clock, in: world), false)
    }
}

private final class MainActorExecutor: MainExecutor, SchedulingExecutor {
    private let platform: any MainExecutor & SchedulingExecutor = {
        guard
            let platform = PlatformExecutorFactory.mainExecutor as? any MainExecutor & SchedulingExecutor
        else {
            preconditionFailure(
                "the platform's main executor cannot schedule: this toolchain is not supported"
            )
        }
        return platform
    }()

    func run() throws {
        if csim_has_one_thread() { OneThread.run() }
        try platform.run()
    }
    func stop() { platform.stop() }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if let world = unsafe csim_get_current() {
            unsafe csim_enqueue_main(world, pointer(to: job))
        } else if unsafe !csim_claim_foreign(pointer(to: job), true) {
            if csim_has_one_thread() { return OneThread.enqueue(job, runner) }
            platform.enqueue(ExecutorJob(job))
        }
    }

    private var runner: OneThread.Runner {
        { job in unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        after delay: C.Duration,
        tolerance: C.Duration?,
        clock: C
    ) {
        guard let world = unsafe csim_get_current() else {
            if csim_has_one_thread() {
                return OneThread.enqueue(UnownedJob(job), after: nanoseconds(of: delay, on: clock), runner)
            }
            return platform.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
        }
        let time = unsafe csim_moment_after(world, nanoseconds(of: delay, on: clock))
        unsafe csim_enqueue_at(world, pointer(to: job), time, true)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob,
        at instant: C.Instant,
        tolerance: C.Duration?,
        clock: C
    ) {
        guard let world = unsafe csim_get_current() else {
            if csim_has_one_thread() {
                let delay = nanoseconds(of: clock.now.duration(to: instant), on: clock)
                return OneThread.enqueue(UnownedJob(job), after: delay, runner)
            }
            return platform.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
        }
        unsafe csim_enqueue_at(world, pointer(to: job), nanoseconds(at: instant, of: clock, in: world), true)
    }

    func checkIsolated() {
        // Asked only when the runtime did not find this executor to be the current one.
        if unsafe csim_get_current() != nil {
            preconditionFailure("this code must run on the main actor")
        }
        platform.checkIsolated()
    }
}

/// Where a task stops between two actors.
private final class ParkExecutor: SerialExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        guard let world = unsafe csim_get_current() else {
            preconditionFailure("a task was parked outside a simulation")
        }
        unsafe csim_enqueue(world, pointer(to: job))
    }
}

private func pointer(to job: consuming ExecutorJob) -> UnsafeMutableRawPointer {
    unsafe pointer(to: UnownedJob(job))
}

private func pointer(to job: UnownedJob) -> UnsafeMutableRawPointer {
    unsafe unsafeBitCast(job, to: UnsafeMutableRawPointer.self)
}

// MARK: Time

/// The delay in whole nanoseconds, at least zero.
private func nanoseconds<C: Clock>(of delay: C.Duration, on clock: C) -> Int64 {
    guard let delay = delay as? Duration else {
        preconditionFailure("a simulation cannot sleep on \(C.self): its durations are not seconds")
    }
    return max(0, delay.wholeNanoseconds)
}

/// The virtual time of an instant.
private func nanoseconds<C: Clock>(at instant: C.Instant, of clock: C, in world: OpaquePointer) -> Int64 {
    // Both clocks of the standard library wrap the monotonic clock, which reads virtual time here, as one Duration.
    if C.self == ContinuousClock.self || C.self == SuspendingClock.self {
        return sleepTime(unsafe unsafeBitCast(instant, to: Duration.self))
    }
    return unsafe csim_moment_after(world, nanoseconds(of: clock.now.duration(to: instant), on: clock))
}

/// The virtual time until which a sleep lasts.
///
/// As outside, the process ends by a trap where the seconds of the instant do not fit into 64 bits, as those of "now and
/// `Int64.max` seconds" do not. What is later than nanoseconds can tell is the end of time.
private func sleepTime(_ instant: Duration) -> Int64 {
    let time = instant.wholeNanoseconds
    if time == .max { precondition(instant.components.seconds > 0) }
    return time
}

/// What `sleep(until:tolerance:)` of the library's clocks does in a simulation in virtual time.
///
/// `sleeping.c` calls it by its symbol, with the registers of a call of the protocol's method: the instant lies in memory,
/// as all values of an associated type do, and the type itself, its conformance and the clock are not wanted. Concurrent
/// like the runtime's own, so that sleeping leaves an actor.
@concurrent
@usableFromInline
@_silgen_name("csim_clock_sleep")
func sleepInVirtualTime(until instant: UnsafePointer<Duration>, tolerance: UnsafeRawPointer) async throws {
    guard let world = unsafe csim_get_current() else { preconditionFailure("no simulation is current") }
    // Both clocks wrap the monotonic clock, which reads virtual time here, as one Duration.
    // A task that is cancelled already does not begin to sleep.
    let time = unsafe Task.isCancelled ? 0 : sleepTime(instant.pointee)
    let sleeper = unsafe csim_make_sleeper(world)
    await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let raw = unsafe unsafeBitCast(continuation, to: UnsafeMutableRawPointer.self)
        if unsafe !csim_begin_sleep(sleeper, raw, time) { unsafe continuation.resume() }
    }
    if unsafe !csim_end_sleep(sleeper) { throw CancellationError() }
}

extension Duration {
    /// The duration in nanoseconds, rounded towards zero; what does not fit, about 292 years, is the longest that does.
    var wholeNanoseconds: Int64 {
        let attoseconds = attoseconds
        if let small = UInt64(exactly: attoseconds) { return Int64(small / 1_000_000_000) }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}

// MARK: Symbols

/// What this process can read of its own debug information at return addresses, innermost frames first.
///
/// The debug information of a whole image is searched: seconds for a large one.
func readOwnSymbols(of addresses: [UInt]) -> [(address: UInt, symbol: RawSymbol)] {
    let frames = addresses.map { RichFrame<UInt64>.returnAddress(UInt64($0)) }
    let images = ImageMap.capture()
    #if arch(x86_64)
    let architecture = "x86_64"
    #else
    let architecture = "arm64"
    #endif
    let backtrace = Backtrace(architecture: architecture, frames: frames, images: images)
    guard let symbolicated = backtrace.symbolicated(with: images) else { return [] }
    return symbolicated.frames.compactMap { frame -> (address: UInt, symbol: RawSymbol)? in
        guard let symbol = frame.symbol else { return nil }
        let place = symbol.sourceLocation
        let raw = RawSymbol(name: symbol.rawName, file: place?.path, line: place?.line ?? 0)
        return (UInt(frame.captured.originalProgramCounter) ?? 0, raw)
    }
}

// MARK: Errors

/// Where an error is kept: the same, however often it is thrown on.
func address(of error: any Error) -> UInt {
    // Alone it would be passed as what it contains.
    struct Existential { var error: any Error }
    return unsafe unsafeBitCast(Existential(error: error), to: UInt.self)
}

// MARK: Types

/// The name, without its module, of the type whose metadata is given.
func typeName(_ metadata: UnsafeRawPointer) -> String {
    _typeName(unsafe unsafeBitCast(metadata, to: Any.Type.self), qualified: false)
}
