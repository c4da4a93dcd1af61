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

    /// The first bytes that a descriptor gives.
    private static func bytes(of descriptor: Int32, atMost count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let length = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, count) }
        return Array(bytes.prefix(max(0, length)))
    }

    @Test func `a descriptor that the random device had reads the file that has it now`() throws {
        let (random, line) = try Simulation(seed: 1).run {
            let device = unsafe open("/dev/urandom", O_RDONLY)
            let random = Self.bytes(of: device, atMost: 64)
            let file = unsafe open("/proc/self/comm", O_RDONLY)
            #expect(dup2(file, device) == device)
            let line = Self.bytes(of: device, atMost: 64)
            #expect(close(file) == 0 && close(device) == 0)
            return (random, line)
        }
        #expect(random.count == 64)
        #expect(line.count < 64 && line.last == UInt8(ascii: "\n"))
    }

    @Test func `the random device has the same bytes, however it is opened`() throws {
        let bytes = try Simulation(seed: 1).run {
            let folder = unsafe open("/dev", O_RDONLY | O_DIRECTORY)
            let devices = unsafe [
                open("/dev/urandom", O_RDONLY), open("/dev/random", O_RDONLY),
                openat(folder, "/dev/urandom", O_RDONLY),
            ]
            let bytes = devices.map { Self.bytes(of: $0, atMost: 8) }
            #expect((devices + [folder]).allSatisfy { close($0) == 0 })
            return bytes
        }
        #expect(bytes.count == 3 && Set(bytes).count == 1 && bytes.first?.count == 8)
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
