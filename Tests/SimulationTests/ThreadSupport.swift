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

    func write<Value>(_ body: () -> Value) -> Value {
        unsafe pthread_rwlock_wrlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return body()
    }
}
