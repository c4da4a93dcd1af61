import Exploration
import Simulation
import Synchronization
import Testing

/// Names the seed of a failure and the line that reproduces it.
struct SeedReport: Sendable {
    var seed: UInt64
    /// The test as a filter names it.
    var test: String
    /// The line to paste into a shell.
    var reproduction: String
    /// What else is known of the failure.
    var explanation: FailureExplanation?
    /// Whether the test is a method of a ``SimulatedTestCase``, which has no traits.
    var isMethod = false

    /// Makes the report of one run.
    ///
    /// - Parameters:
    ///   - seed: The seed of the run.
    ///   - recipe: What decides it; `nil` where the test's configuration does.
    ///   - plan: What the test runs.
    ///   - isFixed: Whether the test itself has a recipe, which the line then need not name.
    ///   - test: The test as a filter names it.
    init(seed: UInt64, _ recipe: Recipe?, of plan: SeedPlan, isFixed: Bool = false, test: String) {
        self.seed = seed
        self.test = test
        let checking = plan.checksDeterminism ? "LENSSIM_CHECK_DETERMINISM=1 " : ""
        let filter = "swift test --filter " + TestFilter.argument(for: self.test)
        reproduction =
            if isFixed {
                checking + filter
            } else if let recipe {
                Self.reproduction(of: recipe, checking, test: self.test)
            } else {
                "LENSSIM_SEED=\(seed) " + checking + filter
            }
    }

    /// Makes the report of a run that a search has found.
    init(of found: TestSearch.Found, in plan: SeedPlan, test: String, isMethod: Bool = false) {
        self.init(
            seed: found.run.recipe.seed,
            found.explanation?.recipe ?? found.run.recipe,
            of: plan,
            test: test
        )
        explanation = found.explanation
        self.isMethod = isMethod
    }

    /// The line that repeats a run of a test.
    static func reproduction(of recipe: Recipe, _ variables: String = "", test: String) -> String {
        WholeProgram.reproduction(of: recipe, variables, test: test)
    }

    /// What is known of a failure that its own run does not have when it is repeated.
    func unrepeated(_ failure: Failure) -> String {
        // The place of an expectation is in its kind.
        let kind = failure.message.contains(failure.fingerprint) ? "" : "\n  \(failure.fingerprint)"
        return
            "\(failure)\(kind)\n  seed \(seed) failed, and did not when it was run again: something differs between runs, which "
            + "LENSSIM_CHECK_DETERMINISM=1 looks for\(lines)"
    }

    func annotate(_ issue: Issue) -> Issue {
        var issue = issue
        let position = Simulation.current.map { "\($0.position)" } ?? "seed \(seed)"
        issue.comments.append("\(position)\(lines)")
        return issue
    }

    /// The line that reproduces the run, and what else is known of it.
    var lines: String {
        (explanation?.lines(isMethod: isMethod) ?? []).map { "\n  \($0)" }.joined()
            + "\n  reproduce: \(reproduction)"
    }
}

/// An error that a test threw, with the run that led to it.
struct SeedFailure: Error, CustomStringConvertible {
    var underlying: any Error
    var report: SeedReport
    /// Where the body threw; `nil` when it did not.
    var position: Position?

    var description: String {
        let text = "\(underlying)"
        let place = position.map { "\($0)" } ?? "seed \(report.seed)"
        // Errors of the engine name the place themselves.
        return text + (text.contains(place) ? "" : "\n  \(place)") + report.lines
    }
}

/// Where the body of a test has thrown its error.
final class ThrowingPosition: Sendable {
    private let position = Mutex<Position?>(nil)

    var value: Position? { position.withLock { $0 } }

    /// The body, which notes the position when it throws.
    func noting(
        _ body: @escaping @Sendable () async throws -> Void
    ) -> @Sendable () async throws -> Void {
        { [self] in
            do {
                try await body()
            } catch {
                let position = Simulation.current?.position
                self.position.withLock { $0 = position }
                throw error
            }
        }
    }
}

/// What one run that records its issues has come to.
final class RecordedRun: Sendable {
    private let failures = Atomic(0)
    private let steps = Atomic(0)
    private let mismatch = Mutex<RecipeMismatch?>(nil)

    /// How the recipe of a kept test does not fit it any more; `nil` where it does.
    var misfit: RecipeMismatch? {
        get { mismatch.withLock { $0 } }
        set { mismatch.withLock { $0 = newValue } }
    }

    var hasFailed: Bool { failures.load(ordering: .relaxed) > 0 }

    /// How many steps the longest task has executed.
    var longestTask: Int {
        get { steps.load(ordering: .relaxed) }
        set { steps.store(newValue, ordering: .relaxed) }
    }

    func note(_ issue: Issue) {
        if issue.isFailure { failures.add(1, ordering: .relaxed) }
    }

    func noteThrown() { failures.add(1, ordering: .relaxed) }
}

/// Tells two values apart that say the same.
final class Identity: Sendable {}

/// Something that has happened or not.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
    func clear() { value.store(false, ordering: .relaxed) }
}

/// A test whose run a recipe decides has another run.
struct RecipeMismatch: Error, CustomStringConvertible {
    var mismatches: [String]

    var description: String {
        "the recipe does not fit the program any more, so that this run says nothing about the failure it was made for:\n"
            + list + "\nSearch for the failure again."
    }

    /// What a kept test says in place of failing: whoever mends a program changes its order of steps.
    var remark: String {
        "the recipe of this test does not fit the program any more, as after a repair; the usual seeds run in its place:\n"
            + list + "\nDelete the recipe, or search for the failure again."
    }

    private var list: String { mismatches.map { "  \($0)" }.joined(separator: "\n") }
}
