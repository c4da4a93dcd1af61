import Simulation
import SimulationTesting
import Synchronization
import Testing
import XCTest

/// What XCTest reports of a test case, as a run of its own.
private final class Reported: NSObject, XCTestObservation {
    private let texts = Mutex<[String]>([])

    func testCase(
        _ testCase: XCTestCase,
        didFailWithDescription description: String,
        inFile filePath: String?,
        atLine lineNumber: Int
    ) {
        texts.withLock { $0.append("line \(lineNumber): \(description)") }
    }

    static func failures(
        _ test: @escaping @Sendable (SimulatedTestCase) throws -> Void
    ) async -> [String] {
        // XCTest runs one test at a time, on the main thread, and spins there until a task of its own has set the test up.
        // That task has our priority, and must not queue behind all other tests.
        await Task(priority: .high) { await run(test) }.value
    }

    @MainActor
    private static func run(_ test: @escaping @Sendable (SimulatedTestCase) throws -> Void) -> [String] {
        let reported = Reported()
        let probe = SimulatedTestCase(
            name: "SimulatedTestCase.testProbe",
            testClosure: { testCase in
                guard let testCase = testCase as? SimulatedTestCase else {
                    return XCTFail("another case")
                }
                testCase.isInProcess = true
                try test(testCase)
            }
        )
        XCTestObservationCenter.shared.addTestObserver(reported)
        defer { XCTestObservationCenter.shared.removeTestObserver(reported) }
        probe.run()
        return reported.texts.withLock { $0 }
    }
}

private actor Counter {
    private(set) var count = 0

    func add(_ step: Int) async {
        let before = count
        await Task.yield()
        count = before + step
    }
}

@Sendable private func lostUpdate() async {
    let counter = Counter()
    async let first: Void = counter.add(1)
    async let second: Void = counter.add(1)
    _ = await (first, second)
    let count = await counter.count
    XCTAssertEqual(count, 2)
}

struct SimulatedTestCaseTests {
    @Test
    func
        `an XCTest assertion that fails under some seed fails the test once, with the small run and its recipe`()
        async throws
    {
        let failures = await Reported.failures { try $0.simulated(lostUpdate) }
        let text = try #require(failures.first)
        #expect(failures.count == 1)
        #expect(text.contains(#"XCTAssertEqual failed: ("1") is not equal to ("2")"#))
        #expect(text.contains("at SimulatedTestCaseTests.swift:"))
        #expect(text.contains("shrunk: 1 of "))
        #expect(text.contains(#"keep: try replayed("seed="#))
        #expect(text.contains("swift test --filter 'SimulationTesting.SimulatedTestCase/testProbe'"))
    }

    @Test func `the recipe of an XCTest failure repeats it`() async throws {
        let found = try #require(await Reported.failures { try $0.simulated(lostUpdate) }.first)
        let recipe = try #require(found.firstMatch(of: /keep: try replayed\("(.*)"\)/)?.output.1)
        let failures = await Reported.failures { try $0.replayed(String(recipe), lostUpdate) }
        #expect(failures.count == 1)
        #expect(failures.first?.contains("is not equal to") == true)
    }

    @Test func `where a recipe does not fit the XCTest any more, the usual seeds run`() async {
        let runs = Atomic(0)
        let passed = await Reported.failures { testCase in
            try testCase.replayed("seed=1 decisions=1000:5") {
                runs.add(1, ordering: .relaxed)
                await Task.yield()
            }
        }
        #expect(passed == [])
        #expect(runs.load(ordering: .relaxed) > 1)
        let failed = await Reported.failures { testCase in
            let runs = Atomic(0)
            try testCase.replayed("seed=1 decisions=1000:5") {
                if runs.add(1, ordering: .relaxed).oldValue > 0 { await lostUpdate() }
            }
        }
        #expect(failed.count == 1)
        #expect(failed.first?.contains("is not equal to") == true, "\(failed)")
    }

    @Test func `an XCTest whose body throws fails; one that holds under every seed passes`() async {
        struct Oversold: Error {}
        let thrown = await Reported.failures { try $0.simulated(seeds: 1...10) { throw Oversold() } }
        #expect(thrown.count == 1)
        #expect(thrown.first?.contains("Oversold()") == true)
        let runs = Atomic(0)
        let passed = await Reported.failures { testCase in
            try testCase.simulated(seeds: 1...10) {
                try await Task.sleep(for: .seconds(3600))
                runs.add(1, ordering: .relaxed)
            }
        }
        #expect(passed == [])
        #expect(runs.load(ordering: .relaxed) == 10)
    }

    @Test func `an assertion outside of the simulation is reported by XCTest as ever`() async {
        let failures = await Reported.failures { testCase in
            try testCase.simulated(seeds: 1...2) {}
            XCTFail("after it")
        }
        #expect(failures.count == 1)
        #expect(failures.first?.contains("failed - after it") == true)
    }

    @Test func `simulated inside of a simulation is refused`() async throws {
        let failures = await Reported.failures { testCase in
            try Simulation(seed: 1).run {
                try SimulatedTestCase(name: "x", testClosure: { _ in }).simulated {}
            }
        }
        #expect(failures.count == 1)
    }
}
