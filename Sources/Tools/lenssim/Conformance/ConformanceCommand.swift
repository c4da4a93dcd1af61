import ArgumentParser
import CameraSourceConformance
import ChatModelConformance
import CommandKit
import Conformance
import Foundation
import LiveModelConformance
import LiveTransport
import ObjectStoreConformance
import Services

/// The command `lenssim conformance`.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract:
            "Runs a suite of requirements against a service or a camera that is there, simulated or not.",
        usage: "lenssim conformance \(Subject.allValueStrings.joined(separator: "|")) [<options>]",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim conformance chat --key-from MY_KEY      Gemini, as Lens asks it about photographs
              lenssim conformance live --at http://127.0.0.1:8080 --key-from MY_KEY
              lenssim conformance live --key-from MY_KEY --without hearing --without marks
              lenssim conformance storage --at https://example.supabase.co --bucket media --key-from MY_KEY
              lenssim conformance storage --at https://s3.example.com --bucket media --access-key AKEXAMPLE --key-from MY_SECRET
              lenssim conformance storage --folder ./kept     a folder of this machine
              lenssim conformance camera --at 192.168.1.20 --device-id VSTK-123456-ABCDE --key-from MY_PASSWORD
              lenssim conformance camera --at /dev/video2     a camera of this machine, by default the first

            A suite asks for what it costs: some dozens of short answers or sessions; objects of up to 600 kB, in a folder of their own, \
            which are removed again.

            Cases that only a simulated service can bring about are skipped, each with its reason, and so is everything where \
            there is no key or no camera. A key is shown nowhere; an answer that repeats it fails its case.

            Exit codes are those of lenssim --help: 0 also where everything was skipped, 1 where a case has failed, 66 for a file that is not \
            there.
            """
        )
    )

    /// A suite that needs nothing but an address.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case chat, live, storage, camera

        /// What it tries.
        var name: String {
            switch self {
            case .chat: ChatModelConformance.suite.name
            case .live: LiveModelConformance.suite.name
            case .storage: ObjectStoreConformance.suite.name
            case .camera: CameraSourceConformance.suite.name
            }
        }
    }

    @Argument(help: "Which suite: chat, live, storage or camera.")
    var suite: Subject

    @Option(
        help:
            "Where the service or the camera is. (default: Google for chat and live, the first camera of this machine)"
    )
    var at: String?

    @Option(
        help:
            "The model that is asked. (default: gemini-2.5-flash, and for live gemini-live-2.5-flash-preview)"
    )
    var model: String?

    @Option(
        help:
            "The bucket of the storage; its objects are public, and the key may upload, replace, move and remove."
    )
    var bucket = "media"

    @Option(help: "The access key of an S3, which makes the storage one; the key is its secret key.")
    var accessKey: String?

    @Option(help: "The region of an S3.")
    var region = "us-east-1"

    @Option(help: "A folder as the storage; its parent must exist.", completion: .directory)
    var folder: String?

    @Option(help: "The device ID of a Wi-Fi camera, such as VSTK-123456-ABCDE.")
    var deviceID: String?

    @Option(help: "The user of a Wi-Fi camera.")
    var user = "admin"

    @Option(help: "The environment variable with the key, or with the camera's password.")
    var keyFrom: String?

    @Option(help: "A file with the key, or with the camera's password.", completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "A capability that the service lacks, as the reasons of a report name them; may be repeated.",
            valueName: "name"
        )
    )
    var without: [String] = []

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        if keyFrom != nil, keyFile != nil { throw ValidationError("Give either --key-from or --key-file.") }
        if folder != nil,
            suite != .storage || at != nil || accessKey != nil || keyFrom != nil || keyFile != nil
        {
            throw ValidationError("A folder is a storage without an address and without keys.")
        }
    }

    func run() async throws {
        try await reportingFailures { terminal in
            let transport = try LiveTransport()
            let result: Result<ConformanceReport, any Error>
            do { result = .success(try await report(over: transport)) } catch { result = .failure(error) }
            await transport.shutdown()
            do {
                let report = try result.get()
                try show(report, nil, on: terminal)
                if report.grades.contains(where: { $0.failed > 0 }) { throw Exit.failed }
            } catch let skipped as CaseSkipped {
                try show(ConformanceReport(), skipped.reason, on: terminal)
            }
        }
    }

    private func report(over transport: LiveTransport) async throws -> ConformanceReport {
        switch suite {
        case .chat: try await chat(over: transport)
        case .live: try await live(over: transport)
        case .storage: try await storage(over: transport)
        case .camera: try await camera(over: transport)
        }
    }

    /// The capabilities of a suite but those that are lacking.
    ///
    /// - Throws: `ValidationError` for a name that no capability has.
    func capabilities<Capability>(_ all: [Capability]) throws -> Set<Capability>
    where Capability: RawRepresentable<String>, Capability: Hashable {
        let known = all.map(\.rawValue)
        if let name = without.first(where: { !known.contains($0) }) {
            throw ValidationError(
                "There is no capability “\(name)” here, but \(known.joined(separator: ", "))."
            )
        }
        return Set(all.filter { !without.contains($0.rawValue) })
    }

    /// The key.
    ///
    /// - Throws: `CaseSkipped` where there is none, `InputFileError`.
    func key() throws -> Secret {
        var text = keyFrom.flatMap { ProcessInfo.processInfo.environment[$0] } ?? ""
        if let keyFile {
            try InputFile(path: keyFile).check()
            text = try String(contentsOfFile: keyFile, encoding: .utf8)
        }
        text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else {
            let place = keyFrom.map { "the environment variable \($0) is empty" } ?? "no key was given"
            throw CaseSkipped("\(place); give --key-from with a variable that has it, or --key-file")
        }
        return Secret(text)
    }

    private struct Output: Encodable {
        struct Case: Encodable {
            var id: String
            var result: String
            var reason: String?
        }

        var suite: String
        var skipped: String?
        var cases: [Case]
    }

    private func show(_ report: ConformanceReport, _ reason: String?, on terminal: Terminal) throws {
        guard json else {
            return terminal.line(
                reason.map { "The suite of \(suite.name)s was skipped: \($0)." }
                    ?? "\(suite.name)\n\n\(report)"
            )
        }
        let cases = report.entries.map { entry in
            switch entry.result {
            case .success(.passed): Output.Case(id: entry.id, result: "passed")
            case .success(.skipped(let reason)): Output.Case(id: entry.id, result: "skipped", reason: reason)
            case .failure(let failure): Output.Case(id: entry.id, result: "failed", reason: "\(failure)")
            }
        }
        try printJSON(Output(suite: suite.name, skipped: reason, cases: cases), on: terminal)
    }
}
