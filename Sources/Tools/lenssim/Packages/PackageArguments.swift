import ArgumentParser
import Foundation

/// The tests of another package, as commands name them.
struct PackageArguments: ParsableArguments {
    @Option(
        help: "Instead of a scenario: the tests of a package that have .simulated, such as those in “.”.",
        completion: .directory
    )
    var package: String?

    @Option(help: "Which tests of the package, as a regular expression like that of swift test.")
    var filter: String?

    @Flag(help: "Take the package's tests as they were built last, in debug.")
    var skipBuild = false

    func validate() throws {
        guard package == nil, filter != nil || skipBuild else { return }
        throw ValidationError(
            "\(filter != nil ? "--filter" : "--skip-build") is about the tests of a package: add --package."
        )
    }

    /// The tests; `nil` where the command is about a scenario.
    ///
    /// - Throws: A validation error where both are named, or neither.
    func tests(besides scenario: String?) throws -> PackageTests? {
        switch (package, scenario) {
        case (let package?, nil):
            return PackageTests(path: package, filter: filter, skipsBuild: skipBuild)
        case (nil, .some): return nil
        case (nil, nil):
            throw ValidationError(
                "Name a scenario, or a package with --package; lenssim scenarios lists scenarios."
            )
        case (.some, .some): throw ValidationError("Name a scenario or a package, not both.")
        }
    }
}
