import Simulation

extension Shrinker.Result {
    /// A Swift Testing case that repeats the small run; what the scenario is called there is for the reader to fill in.
    public var testCase: String {
        """
        import SimulationTesting
        import Testing

        @Test("\(program): \(failure.fingerprint.replacingQuotes)", .replaying("\(shrunk.description)"))
        func \(program.asIdentifier)() async throws {
            // The body of \(program), as lenssim explores it.
        }
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
