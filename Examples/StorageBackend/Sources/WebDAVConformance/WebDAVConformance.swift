import ArgumentParser
import Conformance
import Foundation
import LiveTransport
import ObjectStoreConformance
import Services
import WebDAVStorage

/// Runs the suite of object stores on a folder of a WebDAV server that is there.
///
/// Each case has a folder of its own, which is removed again. Prints a line for each case, with what has failed behind its name; exits with 1 where one
/// has failed.
@main
struct WebDAVConformance: AsyncParsableCommand {
    @Argument(help: "A folder of the server, such as http://127.0.0.1:8080/dav.")
    var address: String

    @Argument(help: "Where anybody reads the same folder.")
    var publicAddress: String?

    @Option(help: "What the server is called in results.")
    var name = "WebDAV"

    @Option(help: "Write the result into a file, for lenssim matrix.")
    var out: String?

    @Option(help: "Write a page of requirements, with what was seen where one is not met.")
    var html: String?

    func run() async throws {
        let harness = ServerHarness(
            client: try LiveTransport(),
            address: address,
            publicAddress: publicAddress,
            login: ProcessInfo.processInfo.environment["WEBDAV_LOGIN"] ?? ""
        )
        let suite = ObjectStoreConformance.suite
        let result = SuiteResult(suite.name, of: name, await suite.report(on: harness))
        for test in result.cases { print(test.line) }
        if let out { try result.json().write(to: URL(filePath: out)) }
        if let html { try Data(SuiteMatrix([result]).page.utf8).write(to: URL(filePath: html)) }
        // After the report, which is there also where something cannot be removed.
        try await harness.end()
        if result.count(.failed) > 0 { throw ExitCode.failure }
    }
}
