import Exploration
import Foundation
import Simulation
public import XCTest

// What `whole_program.c` calls for each method of XCTest that runs.

/// `XCTestCase.invokeTest()` of libXCTest.
@_silgen_name("csim_invoke_plain_method")
private func invokePlainly(_ testCase: XCTestCase)

/// What XCTest calls to run one test.
@usableFromInline
@_silgen_name("csim_invoke_method")
func invoke(_ testCase: XCTestCase) {
    if Simulation.current != nil { return invokePlainly(testCase) }
    guard let binding = AsyncMethods.binding(of: testCase) else {
        // What a process finds that was started for a test, the one that has started it counts.
        return TestProcess.isCurrent ? invokePlainly(testCase) : invokeCounted(testCase)
    }
    let method = SimulatedMethod(testCase, binding)
    if TestProcess.isCurrent { method.searchAndExit() }
    do { try method.searchElsewhere(for: testCase) } catch {
        WholeProgram.end(TestVerdict(test: method.name, kind: .fails, cause: "\(error)", report: "\(error)"))
        testCase.recordFailure(withDescription: "\(error)", inFile: "<EXPR>", atLine: 0, expected: false)
    }
}

/// Runs a test that is not asynchronous.
private func invokeCounted(_ testCase: XCTestCase) {
    let name = "\(String(reflecting: type(of: testCase)))/\(AsyncMethods.name(of: testCase))"
    WholeProgram.begin(name)
    invokePlainly(testCase)
    let failures = testCase.testRun?.totalFailureCount ?? 0
    WholeProgram.end(
        failures == 0
            ? TestVerdict(test: name, kind: .notAsynchronous)
            : TestVerdict(test: name, kind: .fails, cause: "it fails as it is, without a simulation")
    )
}

extension SimulatedMethod {
    /// Lets another process search, and records what it has found.
    fileprivate func searchElsewhere(for testCase: XCTestCase) throws {
        let plan = try SimulatedTrait.implied.plan(.process)
        let search = try plan.results.map { try ResultFolder(path: $0).begin(name) }
        WholeProgram.begin(name)
        let outcome = try Cores.process.with(upTo: plan.jobs ?? .max) { free in
            let request = TestProcess.Request(arguments: [name], testCase: "", jobs: plan.jobs ?? free)
            return try TestProcess.outcome(of: request, Cancellation())
        }
        if outcome.result.failures[SkippedTest.name] != nil {
            WholeProgram.end(TestVerdict(test: name, kind: .skipped))
            return invokePlainly(testCase)
        }
        let verdict = outcome.verdict(on: name)
        WholeProgram.end(verdict)
        if let problem = outcome.problem {
            return testCase.recordFailure(
                withDescription: problem,
                inFile: "<EXPR>",
                atLine: 0,
                expected: false
            )
        }
        if let statics = outcome.result.statics, statics.failure != nil {
            printOutput("LensSim: \(name): \(statics)")
        }
        if verdict.kind == .refused {
            printOutput("LensSim: \(name) cannot be simulated: \(verdict.cause ?? "")")
        } else {
            for failure in outcome.failures { record(failure, for: testCase) }
        }
        try search?.end(outcome.result)
    }

    private func record(_ failure: TestOutcome.Finding, for testCase: XCTestCase) {
        if !failure.output.isEmpty { printOutput(failure.output) }
        for issue in failure.issues where issue.kind == .failure {
            testCase.recordFailure(
                withDescription: issue.text,
                inFile: issue.place?.filePath ?? "<EXPR>",
                atLine: issue.place?.line ?? 0,
                expected: true
            )
        }
    }
}

/// What XCTest calls for a failed assertion; false where it is not one of a run.
@usableFromInline
@_silgen_name("csim_record_failure")
func noteFailure(_ description: String, _ file: String, _ line: Int) -> Bool {
    SimulatedMethod.note(description, file: file, line: line)
}

/// `addTeardownBlock(_:)`; false where the instance is not of a run.
@usableFromInline
@_silgen_name("csim_add_teardown")
func addTeardown(_ block: @escaping () -> Void, _ testCase: XCTestCase) -> Bool {
    let block = Unchecked(value: block)
    return SimulatedMethod.addTeardown(testCase) { await MainActor.run { block.value() } }
}

/// The asynchronous `addTeardownBlock(_:)`.
@usableFromInline
@_silgen_name("csim_add_async_teardown")
func addAsyncTeardown(
    _ block: @escaping @concurrent @Sendable () async throws -> Void,
    _ testCase: XCTestCase
) -> Bool {
    SimulatedMethod.addTeardown(testCase, block)
}
