import Exploration
import Simulation
import Synchronization
import XCTest

/// An asynchronous method of XCTest that is simulated, though its class says nothing about it.
///
/// Each run has an instance of its own, which is set up and torn down in the simulation.
final class SimulatedMethod: Sendable {
    /// The one whose runs are made in this process.
    private static let current = Mutex<SimulatedMethod?>(nil)

    private struct State {
        var teardowns: [ObjectIdentifier: [Unchecked<AsyncMethods.Body>]] = [:]
        var relay: IssueRelay?
    }

    private let type: XCTestCase.Type
    private let method: String
    private let binding: AsyncMethods.Binding
    private let issues = RunIssues()
    private let state = Mutex(State())

    init(_ testCase: XCTestCase, _ binding: @escaping AsyncMethods.Binding) {
        type = Swift.type(of: testCase)
        method = AsyncMethods.name(of: testCase)
        self.binding = binding
    }

    /// The test as a filter names it.
    var name: String { "\(String(reflecting: type))/\(method)" }

    // MARK: Running

    /// Runs what the environment says, in the process that was started for this method, and ends it.
    func searchAndExit() -> Never {
        Self.current.withLock { $0 = self }
        var outcome: TestOutcome
        do {
            let trait = SimulatedTrait.implied
            let searched = SearchedTest(
                trait: trait,
                plan: try trait.plan(.process),
                name: name,
                issues: issues,
                recording: { [self] relay in state.withLock { $0.relay = relay } },
                isMethod: true,
                test: { [self] in try await runOnce() }
            )
            outcome = try searched.outcome()
        } catch {
            outcome = TestOutcome(result: SweepResult(program: name, strategy: .portfolio))
            outcome.problem = "\(error)"
        }
        TestProcess.end(with: outcome)
    }

    /// Sets a fresh instance up, calls its method and tears it down, in the order of `XCTestCase.invokeTest`.
    ///
    /// XCTest calls what is not asynchronous on the main thread.
    private func runOnce() async throws {
        let instance = Unchecked(value: type.init(name: method) { _ in })
        let key = ObjectIdentifier(instance.value)
        state.withLock { $0.teardowns[key] = [] }
        var thrown: [any Error] = []
        func attempt(_ step: () async throws -> Void) async {
            do { try await step() } catch { thrown.append(error is XCTSkip ? SkippedTest() : error) }
        }
        await attempt { try await instance.value.setUp() }
        await attempt { try await MainActor.run { try instance.value.setUpWithError() } }
        await MainActor.run { Self.setUp(instance.value) }
        if thrown.isEmpty, let body = binding(instance.value) { await attempt(body) }
        while let block = state.withLock({ $0.teardowns[key]?.popLast() }) { await attempt(block.value) }
        await MainActor.run { Self.tearDown(instance.value) }
        await attempt { try await MainActor.run { try instance.value.tearDownWithError() } }
        await attempt { try await instance.value.tearDown() }
        state.withLock { $0.teardowns[key] = nil }
        if let first = thrown.first { throw first }
    }

    // In an asynchronous function the asynchronous ones of the same names would be called.
    private static func setUp(_ testCase: XCTestCase) { testCase.setUp() }
    private static func tearDown(_ testCase: XCTestCase) { testCase.tearDown() }

    // MARK: What the runs do

    /// Takes a failed assertion; false where no method is simulated in this process.
    static func note(_ description: String, file: String, line: Int) -> Bool {
        guard let method = current.withLock({ $0 }) else { return false }
        method.note(description, file: file, line: line)
        return true
    }

    private func note(_ description: String, file: String, line: Int) {
        // What is left of a run unwinds after its end, and says nothing about the test.
        if Simulation.current?.isOver == true { return }
        let place = "\(file.split(separator: "/").last ?? "an unknown place"):\(line)"
        if let relay = state.withLock({ $0.relay }) {
            let position = Simulation.current.map { "\n  \($0.position)" } ?? ""
            var issue = RelayedIssue(description + position)
            issue.place = .init(fileID: place, filePath: file, line: line, column: 1)
            relay.send(issue)
        } else {
            issues.note(FailedExpectation(place: place, description: "\(description)\n  at \(place)"))
        }
    }

    /// Keeps a block for the end of a run; false where the instance is not of a run.
    static func addTeardown(_ testCase: XCTestCase, _ block: @escaping AsyncMethods.Body) -> Bool {
        guard let method = current.withLock({ $0 }) else { return false }
        let block = Unchecked(value: block)
        return method.state.withLock { $0.teardowns[ObjectIdentifier(testCase)]?.append(block) != nil }
    }
}

/// A test wants to be skipped, which only XCTest itself can tell of.
struct SkippedTest: NamedFailure {
    static let name = "skipped"
    var failureName: String { Self.name }
}
