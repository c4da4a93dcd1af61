import CSimulation
import Foundation
import Simulation
import SimulationTesting
import Testing

/// A block of memory that is laid out like a task, or nearly.
@safe private struct FakeTask: ~Copyable {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1024, alignment: 16)

    init() {
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: 1024)
        let code = csim_runtime_function()
        unsafe memory.storeBytes(of: code, toByteOffset: 56, as: UInt.self)
        unsafe memory.storeBytes(of: UInt(bitPattern: memory) + 256, toByteOffset: 64, as: UInt.self)
        unsafe memory.storeBytes(of: code, toByteOffset: 256 + 8, as: UInt.self)
    }

    deinit { unsafe memory.deallocate() }

    var problem: String? { unsafe csim_layout_problem(memory).map { unsafe String(cString: $0) } }
}

/// Each test fails when a toolchain stops delivering something that the engine lives on.
@Suite("Toolchain canaries", .simulated(seeds: 1...5, strategy: .portfolio, stalls: .none))
struct ToolchainCanaryTests {
    @Test func `jobs reach the simulation`() async throws {
        let simulation = try #require(Simulation.current)
        let before = simulation.position.step
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await Task.yield() } }
        }
        #expect(simulation.position.step >= before + 20)
    }

    @Test func `a sleep takes its virtual time exactly and no real time`() async throws {
        let clock = ContinuousClock()
        for duration in [Duration.microseconds(1), .milliseconds(250), .seconds(86_400)] {
            let before = clock.now
            try await Task.sleep(for: duration)
            #expect(clock.now - before == duration)
        }
        let before = SuspendingClock().now
        try await SuspendingClock().sleep(for: .seconds(5))
        #expect(SuspendingClock().now - before == .seconds(5))
        try await Task.sleep(nanoseconds: 77)
        try await Task.sleep(until: clock.now + .seconds(60))
    }

    @Test func `the main actor runs inside the simulation`() async throws {
        let simulation = try #require(Simulation.current)
        let inside = await MainActor.run { Simulation.current === simulation }
        #expect(inside)
        await MainActor.run { MainActor.assertIsolated() }
    }

    @Test func `clocks read virtual time`() async throws {
        let date = Date()
        try await Task.sleep(for: .seconds(3600))
        #expect(abs(Date().timeIntervalSince(date) - 3600) < 0.000_01)
        #expect(Date(timeIntervalSince1970: 1_767_225_600) <= date)
        #expect(date < Date(timeIntervalSince1970: 1_767_225_700))
        let uptime = DispatchTime.now().uptimeNanoseconds
        try await Task.sleep(for: .milliseconds(3))
        #expect(DispatchTime.now().uptimeNanoseconds - uptime == 3_000_000)
        #expect(time(nil) == time_t(Date().timeIntervalSince1970))
    }

    @Test func `task names are known to the runtime interface`() async throws {
        #expect(RuntimeSupport.current.gaps == [])
    }
}

@Suite("Toolchain canaries for entropy")
struct EntropyCanaryTests {
    struct Draws: Equatable, Sendable {
        var uuid = UUID()
        var number = UInt64.random(in: .min ... .max)
        var shuffled = Array(0..<20).shuffled()
        var bytes = (0..<4).map { _ in UInt8.random(in: 0...255) }
        var keys = Array(Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", $0) }).keys)
        var set = Array(Set((0..<50).map { "member \($0)" }))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `the same seed draws the same numbers, UUIDs and orders`(seed: UInt64) throws {
        let first = try Simulation(seed: seed).run { Draws() }
        let second = try Simulation(seed: seed).run { Draws() }
        #expect(first == second)
    }

    @Test func `different seeds draw different numbers`() throws {
        let uuids = try Set((1...100).map { seed in try Simulation(seed: seed).run { UUID() } })
        let numbers = try Set(
            (1...100).map { seed in try Simulation(seed: seed).run { UInt64.random(in: .min ... .max) } }
        )
        #expect(uuids.count == 100)
        #expect(numbers.count == 100)
    }

    @Test func `the generators of the C library draw from the seed`() throws {
        @Sendable func draws() -> [Int] {
            [
                Int(rand()), random(), lrand48(), mrand48(), Int(drand48() * 1e9), Int(arc4random()),
                Int(arc4random_uniform(1_000_000)),
            ]
        }
        let first = try Simulation(seed: 1).run { draws() + draws() }
        #expect(try Simulation(seed: 1).run { draws() + draws() } == first)
        #expect(try Simulation(seed: 2).run { draws() + draws() } != first)
        #expect(Set(first).count == 14)
        #expect(first[6] < 1_000_000 && first[13] < 1_000_000)
    }

    @Test func `draws are what they were when this test was written`() throws {
        // Holds across processes, debug and release, and machines of one architecture.
        let number = try Simulation(seed: 7).run { UInt64.random(in: .min ... .max) }
        let uuid = try Simulation(seed: 7).run { UUID() }
        let keys = try Simulation(seed: 7).run { Array(Set(["a", "b", "c", "d", "e"])).joined() }
        #expect(
            "\(number) \(uuid) \(keys)" == "9847234092334545070 AE78B7ED-3B67-4888-AB05-195641FADBF7 dbeac"
        )
    }

    @Test func `a draw on one node does not shift another's`() throws {
        func draws(disturbed: Bool) throws -> UInt64 {
            try Simulation(seed: 3).run {
                let simulation = try #require(Simulation.current)
                if disturbed {
                    try await simulation.node("other").run { _ = UInt64.random(in: .min ... .max) }
                }
                return try await simulation.node("phone").run { UInt64.random(in: .min ... .max) }
            }
        }
        #expect(try draws(disturbed: false) == draws(disturbed: true))
    }

    @Test func `outside a simulation entropy and clocks are real`() async throws {
        #expect(UUID() != UUID())
        #expect(abs(Date().timeIntervalSince1970 - 1_767_225_600) > 1_000_000)
        let start = ContinuousClock.now
        try await Task.sleep(for: .milliseconds(2))
        #expect(ContinuousClock.now - start >= .milliseconds(2))
    }

    @Test func `a runtime that has moved a word of its tasks is refused, whichever it is`() {
        #expect(FakeTask().problem == nil)
        // A byte of the flags, the reserved word, the function, the context, its caller, the status.
        let words: [(offset: Int, value: UInt)] = [
            (32, 193), (48, 1), (56, 0), (64, 0), (264, 0), (96, 0x2000),
        ]
        let problems = words.map { word in
            let task = FakeTask()
            unsafe task.memory.storeBytes(of: word.value, toByteOffset: word.offset, as: UInt.self)
            return task.problem
        }
        #expect(problems.allSatisfy { $0 != nil })
        #expect(Set(problems).count == words.count)
    }

    @Test func `a runtime that has moved a word of its other jobs is refused, whichever it is`() {
        func problem(kind: UInt8, word: UInt, current: UInt, actor: UInt) -> String? {
            let job = FakeTask()
            unsafe job.memory.storeBytes(of: kind, toByteOffset: 32, as: UInt8.self)
            unsafe job.memory.storeBytes(of: word, toByteOffset: 64, as: UInt.self)
            return unsafe csim_job_problem(job.memory, UnsafeRawPointer(bitPattern: current), actor)
                .map { unsafe String(cString: $0) }
        }
        #expect(problem(kind: 195, word: 80, current: 80, actor: 0) == nil)
        #expect(problem(kind: 193, word: 96, current: 80, actor: 96) == nil)
        let problems = [
            problem(kind: 195, word: 88, current: 80, actor: 0),
            problem(kind: 193, word: 88, current: 80, actor: 96),
            problem(kind: 194, word: 80, current: 80, actor: 96),
        ]
        #expect(problems.allSatisfy { $0 != nil })
        #expect(Set(problems).count == problems.count)
    }

    @Test func `every function that a simulation answers is in force`() {
        #expect(RuntimeSupport.current.lostFunctions == [])
        #expect(RuntimeSupport.current.gaps == [])
        #expect(unsafe !csim_is_overridden("malloc"))
    }
}
