import Conformance
import EtcdTrials
import Foundation
import LiveTransport
import ServiceBrowserConformance
import ServiceClient
import Transport

/// Runs the suite of service browsers on an etcd that is there: `EtcdConformance ADDRESS`.
///
/// Prints a line for each case, with what has failed behind its name; exits with 1 where one has failed. Cases run side by side, each with services of
/// a type of its own, since some of them wait for a minute.
@main
enum EtcdConformance {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let address = ServiceAddress(CommandLine.arguments[1]) else {
            FileHandle.standardError.write(Data("usage: EtcdConformance http://127.0.0.1:2379\n".utf8))
            exit(64)
        }
        let http = try LiveTransport()
        let lines = await withTaskGroup(of: String.self) { group in
            for test in ServiceBrowserConformance.cases {
                // A harness of its own: it counts the requests of one browser.
                group.addTask { await line(of: test, EtcdHarness(http, at: address)) }
            }
            var lines: [String] = []
            for await line in group { lines.append(line) }
            return lines
        }
        for line in lines.sorted() { print(line) }
        await http.shutdown()
        exit(lines.contains { $0.hasPrefix("failed") } ? 1 : 0)
    }

    private static func line(of test: ServiceBrowserConformance.Case, _ harness: EtcdHarness) async -> String
    {
        do {
            switch try await test.run(with: harness) {
            case .passed: return "passed \(test.id)"
            case .skipped(let reason): return "skipped \(test.id): \(reason)"
            }
        } catch {
            return "failed \(test.id): \(error)"
        }
    }
}
