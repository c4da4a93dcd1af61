import Conformance
import Foundation
import HTTPTypes
import LiveTransport
import ObjectStoreConformance
import Services
import Synchronization
import Transport
import WebDAVStorage

/// Runs the suite of object stores on a folder of a WebDAV server that is there.
///
/// `WebDAVConformance ADDRESS [PUBLIC-ADDRESS]`, with the login in the environment variable `WEBDAV_LOGIN`. Each case has a folder of its own, which is
/// removed again. Prints a line for each case, with what has failed behind its name; exits with 1 where one has failed.
@main
enum WebDAVConformance {
    static func main() async throws {
        guard CommandLine.arguments.count >= 2 else {
            FileHandle.standardError.write(Data("usage: WebDAVConformance ADDRESS [PUBLIC-ADDRESS]\n".utf8))
            exit(64)
        }
        let harness = ServerHarness(
            client: try LiveTransport(),
            address: CommandLine.arguments[1],
            publicAddress: CommandLine.arguments.dropFirst(2).first,
            login: ProcessInfo.processInfo.environment["WEBDAV_LOGIN"] ?? ""
        )
        let report = await ObjectStoreConformance.suite.report(on: harness)
        for entry in report.entries {
            switch entry.result {
            case .success(.passed): print("passed \(entry.id)")
            case .success(.skipped(let reason)): print("skipped \(entry.id): \(reason)")
            case .failure(let failure): print("failed \(entry.id): \(failure)")
            }
        }
        // After the report, which is there also where something cannot be removed.
        try await harness.end()
        exit(report.grades.contains { $0.failed > 0 } ? 1 : 0)
    }
}
