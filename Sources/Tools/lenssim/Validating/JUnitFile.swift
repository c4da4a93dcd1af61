import Conformance

extension SuiteResult {
    /// The cases as CI services read them: a suite of tests, in which a group is a class.
    ///
    /// A suite that was skipped as a whole is one skipped case with the reason, and one that did not end an error, so that neither is silent.
    ///
    /// Source: "JUnit XML file format", github.com/testmoapp/junitxml.
    func junit() -> String {
        let shown =
            skipped.map { [Case(id: "suite", requirement: "The suite runs.", result: .skipped, reason: $0)] }
            ?? cases
        let counts =
            "tests=\"\(shown.count + (error == nil ? 0 : 1))\" failures=\"\(count(.failed))\" "
            + "errors=\"\(error == nil ? 0 : 1)\" skipped=\"\(shown.count { $0.result == .skipped })\""
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites \(counts)>",
            "  <testsuite name=\"\("\(suite): \(implementation)".inMarkup)\" \(counts)>",
        ]
        for test in shown {
            let group = test.id.prefix { $0 != "." }
            let start =
                "    <testcase classname=\"\("\(suite).\(group)".inMarkup)\" name=\"\("\(test.id): \(test.requirement)".inMarkup)\""
            switch test.result {
            case .passed: lines.append(start + "/>")
            case .skipped:
                lines.append("\(start)><skipped message=\"\((test.reason ?? "").inMarkup)\"/></testcase>")
            case .failed:
                let reason = (test.reason ?? "").inMarkup
                lines.append("\(start)><failure message=\"\(reason)\">\(reason)</failure></testcase>")
            }
        }
        if let error {
            let name = "classname=\"\("\(suite).suite".inMarkup)\" name=\"suite: The suite ends.\""
            lines.append("    <testcase \(name)><error message=\"\(error.inMarkup)\"/></testcase>")
        }
        return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }
}
