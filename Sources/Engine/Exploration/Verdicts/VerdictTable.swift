/// What came of all tests of a program.
package struct VerdictTable: Sendable, CustomStringConvertible {
    private var byTest: [String: TestVerdict] = [:]

    package init() {}

    /// Adds the verdict of a test, or of one of its cases.
    package mutating func add(_ verdict: TestVerdict) {
        if byTest[verdict.test]?.add(verdict) == nil { byTest[verdict.test] = verdict }
    }

    /// The most urgent first, then by name.
    package var verdicts: [TestVerdict] {
        byTest.values.sorted { ($0.kind.rank, $0.test) < ($1.kind.rank, $1.test) }
    }

    package var isEmpty: Bool { byTest.isEmpty }

    /// How many tests there are of a kind.
    package func count(_ kind: TestVerdict.Kind) -> Int { byTest.values.count { $0.kind == kind } }

    /// A line of counts, then a line for each test that does not simply pass, with its cause below.
    package var description: String {
        let kinds = TestVerdict.Kind.allCases.filter { $0 != .skipped || count($0) > 0 }
        let counts = kinds.map { "\(count($0)) \(Self.words($0, count: count($0)))" }
        let lines = verdicts.filter { $0.kind.isNamed }.map { verdict in
            let start = "  \(Self.label(verdict.kind)) \(verdict.test)"
            return verdict.cause.map { "\(start)\n      \($0)" } ?? start
        }
        let tests = byTest.count == 1 ? "1 test" : "\(byTest.count) tests"
        return (["LensSim: \(tests): \(counts.joined(separator: ", "))"] + lines).joined(separator: "\n")
    }

    private static func words(_ kind: TestVerdict.Kind, count: Int) -> String {
        let isOne = count == 1
        return switch kind {
        case .fails: isOne ? "fails" : "fail"
        case .refused: isOne ? "is refused" : "are refused"
        case .dependsOnStatics: isOne ? "depends on statics" : "depend on statics"
        case .passes: isOne ? "passes" : "pass"
        case .notAsynchronous: isOne ? "is not asynchronous" : "are not asynchronous"
        case .skipped: isOne ? "is skipped" : "are skipped"
        }
    }

    /// One word, padded to the length of the others.
    private static func label(_ kind: TestVerdict.Kind) -> String {
        switch kind {
        case .fails: "fails  "
        case .refused: "refused"
        case .dependsOnStatics: "statics"
        case .passes: "passes "
        case .notAsynchronous: "plain  "
        case .skipped: "skipped"
        }
    }
}

extension TestVerdict.Kind {
    /// Whether the table names each test of this kind.
    fileprivate var isNamed: Bool { rank < Self.passes.rank }
}
