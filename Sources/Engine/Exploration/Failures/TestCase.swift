import Simulation

extension Shrinker.Result {
    /// A Swift Testing case that repeats the small run, and fails as it does until the bug is mended.
    ///
    /// A program that a test cannot name has to be written in by hand; until then the case fails and says so.
    public var testCase: String {
        let imports = Set(
            ["SimulationTesting", "Testing"]
                + (code.map { ["Exploration", $0.module] + ($0.besides ?? []) } ?? [])
        )
        return """
            \(imports.sorted().map { "import \($0)" }.joined(separator: "\n"))

            @Test("\(program): \(failure.fingerprint.replacingQuotes)", .replaying("\(shrunk.description)"))
            func \(program.asIdentifier)() async throws {
            \(testBody)
            }
            """
    }

    private var testBody: String {
        guard let code else {
            return "    Issue.record(\"write here what the program \(program.replacingQuotes) does\")"
        }
        return """
                let program = try #require(\(code.expression))
                try await program.body()
            """
    }
}

extension String {
    fileprivate var replacingQuotes: String {
        String(map { $0 == "\"" || $0 == "\\" || $0.isNewline ? "'" : $0 })
    }

    /// The name in camel case.
    fileprivate var asIdentifier: String {
        let words = split { !$0.isLetter && !$0.isNumber }
        let name = words.enumerated().map {
            $0.offset == 0
                ? $0.element.lowercased() : $0.element.prefix(1).uppercased() + $0.element.dropFirst()
        }.joined()
        return name.first?.isNumber == true ? "_" + name : name
    }
}
