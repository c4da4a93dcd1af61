import ArgumentParser
import ChatModelConformance
import CompletionsModel
import Conformance
import Foundation
import LiveTransport
import Services

/// Runs the suite of chat models on a server that is there.
///
/// Prints a line for each case, with what has failed behind its name; exits with 1 where one has failed.
@main
struct CompletionsConformance: AsyncParsableCommand {
    @Argument(help: "Where the server is, such as http://127.0.0.1:8080.")
    var address: String

    @Option(help: "The model that is asked.")
    var model = "conformance"

    @Option(help: "What the server is called in results.")
    var name = "completions"

    @Option(help: "Write the result into a file, for lenssim matrix.")
    var out: String?

    @Option(help: "Write a page of requirements, with what was seen where one is not met.")
    var html: String?

    @Flag(help: "The server is LLMock: let it answer and fail as cases want.")
    var llmock = false

    func run() async throws {
        let transport = try LiveTransport()
        let server = Server(
            client: transport,
            address: address,
            model: model,
            key: ProcessInfo.processInfo.environment["COMPLETIONS_KEY"].map { Secret($0) }
        )
        let suite = ChatModelConformance.suite
        let report =
            llmock
            ? await suite.report(on: LLMockHarness(server: server))
            : await suite.report(on: ServerHarness(server: server))
        await transport.shutdown()
        let result = SuiteResult(suite.name, of: name, report)
        for test in result.cases { print(test.line) }
        if let out { try result.json().write(to: URL(filePath: out)) }
        if let html { try Data(SuiteMatrix([result]).page.utf8).write(to: URL(filePath: html)) }
        if result.count(.failed) > 0 { throw ExitCode.failure }
    }
}
