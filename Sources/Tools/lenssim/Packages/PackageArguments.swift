import ArgumentParser
import Foundation

/// The tests of another package, as commands name them.
struct PackageArguments: ParsableArguments {
    @Option(
        help: "Instead of a scenario: the tests of a package, such as those in “.”, that have .simulated.",
        completion: .directory
    )
    var package: String?

    @Option(help: "Which tests of the package, as a regular expression like that of swift test.")
    var filter: String?

    @Flag(help: "Take the package's tests as they were built last, in debug.")
    var skipBuild = false

    @Flag(help: "Every asynchronous test of the package, also one that says nothing of a simulation.")
    var allTests = false

    func validate() throws {
        let given: KeyValuePairs = [
            "--filter": filter != nil, "--skip-build": skipBuild, "--all-tests": allTests,
        ]
        guard package == nil, let first = given.first(where: \.value)?.key else { return }
        throw ValidationError("\(first) is about the tests of a package: add --package.")
    }

    /// The tests; `nil` where the command is about a scenario.
    ///
    /// - Throws: A validation error where both are named, or neither.
    func tests(besides scenario: String?) throws -> PackageTests? {
        switch (package, scenario) {
        case (let package?, nil):
            return PackageTests(
                path: package,
                filter: filter,
                skipsBuild: skipBuild,
                areAllSimulated: allTests
            )
        case (nil, .some): return nil
        case (nil, nil):
            throw ValidationError(
                "Name a scenario, or a package with --package; lenssim scenarios lists scenarios."
            )
        case (.some, .some): throw ValidationError("Name a scenario or a package, not both.")
        }
    }
}
