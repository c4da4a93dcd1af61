import Dispatch
import Foundation
import Glibc
import Simulation
import Testing

/// What `Documentation/PlainSwift.md` says, where no other test shows it.
@Suite("Plain Swift in a simulation")
struct PlainSwiftTests {
    @Test func `clocks of Foundation and of Dispatch read virtual time`() throws {
        let (uptime, dispatch, wall) = try Simulation(seed: 1).run {
            let (uptime, dispatch, wall) = (
                ProcessInfo.processInfo.systemUptime, DispatchTime.now().uptimeNanoseconds, Date()
            )
            try await Task.sleep(for: .seconds(3600))
            return (
                ProcessInfo.processInfo.systemUptime - uptime,
                DispatchTime.now().uptimeNanoseconds - dispatch,
                Date().timeIntervalSince(wall)
            )
        }
        #expect(uptime == 3600 && dispatch == 3_600_000_000_000 && wall == 3600)
    }

    @Test func `a block that a queue runs synchronously runs inside the simulation`() throws {
        let isInside = try Simulation(seed: 1).run {
            DispatchQueue(label: "own").sync { Simulation.current != nil }
        }
        #expect(isInside)
    }

    @Test func `a seed that the program gives to the C library has no effect`() throws {
        let draws = try [UInt32(5), 6].map { own in
            try Simulation(seed: 1).run {
                srand(own)
                srandom(own)
                return [Int(rand()), random()]
            }
        }
        #expect(draws[0] == draws[1])
        #expect(draws[0] != (try Simulation(seed: 2).run { [Int(rand()), random()] }))
    }

    @Test func `the random device has the same bytes for every seed`() throws {
        let bytes = try [UInt64(1), 2].map { seed in
            try Simulation(seed: seed).run {
                let device = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
                return try device.read(upToCount: 8)
            }
        }
        #expect(bytes[0]?.count == 8 && bytes[0] == bytes[1])
        let device = try #require(FileHandle(forReadingAtPath: "/dev/urandom"))
        #expect(try device.read(upToCount: 8) != bytes[0])
    }

    @Test func `a wait for a work item takes its time, virtually, and is named`() throws {
        let error = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                let start = ContinuousClock.now
                #expect(waitForWork() == .timedOut)
                #expect(abs((ContinuousClock.now - start) / .seconds(1) - 100) < 0.1)
            }
        }
        guard case .escaped(let escapes, _, _) = error else { throw error }
        #expect(escapes.map(\.kind) == [.blockingWait])
        #expect(escapes.first?.api == "DispatchWorkItem.wait(timeout:)")
    }

    @Test func `work of an operation queue and of a work item is refused`() throws {
        let ran = Shared(0)
        let error = try #require(throws: SimulationError.self) {
            try Simulation(seed: 1).run {
                OperationQueue().addOperation { ran.withLock { $0 += 1 } }
                notify { ran.withLock { $0 += 1 } }
            }
        }
        guard case .escaped(let escapes, _, _) = error else { throw error }
        #expect(escapes.map(\.function) == ["dispatch_async", "dispatch_group_notify"])
        #expect(ran.withLock { $0 } == 0)
    }
}

// Calls that asynchronous code may not make directly.

private func waitForWork() -> DispatchTimeoutResult { DispatchWorkItem {}.wait(timeout: .now() + 100) }

private func notify(_ body: @escaping @Sendable () -> Void) {
    let item = DispatchWorkItem {}
    item.notify(queue: .global(), execute: body)
    item.perform()
}
