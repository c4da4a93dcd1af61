import Foundation
import Simulation

/// Runs with simulated threads.
enum Threads {
    static let areSimulated = Simulation(seed: 1, configuration: configuration).simulatesThreads

    static var configuration: Simulation.Configuration {
        var configuration = Simulation.Configuration()
        configuration.threads = .simulated
        return configuration
    }

    /// What a body returned from many seeds, by how often.
    static func outcomes<Value: Hashable & Sendable>(
        seeds: ClosedRange<UInt64> = 1...200,
        _ body: @escaping @Sendable () async throws -> Value
    ) throws -> [Value: Int] {
        var all: [Value: Int] = [:]
        for seed in seeds {
            all[try Simulation(seed: seed, configuration: configuration).run(body), default: 0] += 1
        }
        return all
    }
}

/// Numbers that locks have to guard, and sometimes do not.
@safe final class Counted: @unchecked Sendable {
    // Invariant that makes this Sendable: simulated threads run one at a time.
    var value = 0
    var waiting = 0
}

/// A thread of pthread_create(3).
struct PosixThread: Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Int
        init(_ run: @escaping @Sendable () -> Int) { self.run = run }
    }

    let handle: pthread_t

    init(_ run: @escaping @Sendable () -> Int) {
        var handle = pthread_t()
        let body = unsafe Unmanaged.passRetained(Body(run)).toOpaque()
        let failure = unsafe pthread_create(
            &handle,
            nil,
            { context in
                guard let context = unsafe context else { return nil }
                let body = unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue()
                return unsafe UnsafeMutableRawPointer(bitPattern: body.run())
            },
            body
        )
        precondition(failure == 0, "pthread_create: \(failure)")
        self.handle = handle
    }

    /// Waits for its end; what it returned.
    func join() -> Int {
        var result: UnsafeMutableRawPointer?
        let failure = unsafe pthread_join(handle, &result)
        precondition(failure == 0, "pthread_join: \(failure)")
        return Int(bitPattern: result)
    }
}

/// A lock of pthread_rwlock_init(3).
@safe final class SharedLock: @unchecked Sendable {
    // Invariant that makes this Sendable: a lock may be used from any thread.
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    init() { unsafe pthread_rwlock_init(lock, nil) }
    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    func read<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_rwlock_rdlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return body()
    }

    /// Takes it for reading, and gives it back; whether that was in time.
    func isRead(before limit: Date) -> Bool {
        var until = timespec()
        until.tv_sec = Int(limit.timeIntervalSince1970)
        guard unsafe pthread_rwlock_timedrdlock(lock, &until) == 0 else { return false }
        unsafe pthread_rwlock_unlock(lock)
        return true
    }

    func write<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_rwlock_wrlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return body()
    }
}

enum Slow {
    static let count = Shared(0)
    static let value = {
        count.withLock { $0 += 1 }
        for _ in 1...5 { letOthersRun() }
        return count.withLock { $0 }
    }()
}

/// A token of pthread_once(3), whose initialiser counts.
@safe final class Once: @unchecked Sendable {
    // Invariant that makes this Sendable: simulated threads run one at a time.
    private let token = UnsafeMutablePointer<pthread_once_t>.allocate(capacity: 1)
    private static let count = Shared(0)

    init() {
        unsafe token.initialize(to: pthread_once_t())
        Self.count.withLock { $0 = 0 }
    }
    deinit { unsafe token.deallocate() }

    func initialised() -> Int {
        unsafe pthread_once(token) {
            for _ in 1...5 { letOthersRun() }
            Once.count.withLock { $0 += 1 }
        }
        return Self.count.withLock { $0 }
    }
}

final class Ending: Sendable {
    @TaskLocal static var current: Ending?

    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
}

@MainActor func noteOnMain(_ number: Int, in journal: Journal) {
    journal.note(number)
    blockBriefly()
    journal.note(number)
}

func waitInARunLoop(for seconds: TimeInterval) async {
    func wait() { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: seconds)) }
    wait()
}

func waitToRead(_ descriptor: CInt) -> Int {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Int(unsafe poll(&wanted, 1, -1))
}

/// A sleep of no time.
func letOthersRun() { usleep(0) }
func blockBriefly() { Thread.sleep(forTimeInterval: 0.001) }
func wait(for semaphore: DispatchSemaphore) { semaphore.wait() }

/// Directions of fesetround(3) (bits/fenv.h of glibc for x86).
enum Rounding {
    static let nearest: CInt = 0
    static let down: CInt = 0x400
    static let up: CInt = 0x800
}
