import ArgumentParser
import CameraSourceConformance
import ChatModelConformance
import CommandKit
import Conformance
import Foundation
import LiveModelConformance
import LiveTransport
import NetworkMonitorConformance
import ObjectStoreConformance
import PreferenceStoreConformance
import SecretStoreConformance
import Services

/// The command `lenssim validate`.
struct ValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract:
            "Runs a suite of requirements against a service, a camera or files that are there, simulated or not.",
        usage: "lenssim validate <suite> [<options>]",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim validate chat-model --key-from MY_KEY      Gemini, as Lens asks it about photographs
              lenssim validate live-model --endpoint http://127.0.0.1:8080 --key-from MY_KEY
              lenssim validate live-model --key-from MY_KEY --without hearing --without marks
              lenssim validate store --endpoint https://example.supabase.co --bucket media --key-from MY_KEY
              lenssim validate store --endpoint https://s3.example.com --bucket media --access-key AKEXAMPLE --key-from MY_SECRET
              lenssim validate store --folder ./kept     a folder of this machine
              lenssim validate camera --endpoint 192.168.1.20 --device-id VSTK-123456-ABCDE --key-from MY_PASSWORD
              lenssim validate camera --endpoint /dev/video2     a camera of this machine, by default the first
              lenssim validate secrets --folder ./kept --passphrase-from MY_PASSPHRASE
              lenssim validate preferences --file ./settings.sqlite     a new file, which is removed again
              lenssim validate network     what this machine says of its network, which stays as it is
              unshare -r -n sh -c "ip link set lo up && lenssim validate network --change-network"
                                           in a network of its own, whose routes come and go
              lenssim validate store --folder ./kept --name folder --junit store.xml --out folder.json
              lenssim validate store --endpoint http://127.0.0.1:9000 --access-key me --key-from MY_SECRET --reference real.json
                                           a simulated S3 beside what the real one did
              lenssim matrix folder.json s3.json --html matrix.html

            A suite asks for what it costs: some dozens of short answers or sessions; objects of up to 600 kB, in a folder of their own, \
            which are removed again.

            Cases that only a simulated service can bring about are skipped, each with its reason, and so is everything where \
            there is no key or no camera. A key is shown nowhere; an answer that repeats it fails its case.

            With --reference, results of the real service or of implementations of others, the end says of each case whether it is verified: \
            each reference that has tried it ended as it did here. It drifts where one ended otherwise, stricter, laxer or in another \
            way, and is unverified where nobody has tried it there, or nobody here.

            Exit codes are those of lenssim --help: 0 also where everything was skipped, 1 where a case has failed or drifts, 66 for a file that is not \
            there.
            """
        )
    )

    /// A suite that needs nothing but an address.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case chatModel = "chat-model"
        case liveModel = "live-model"
        case store, camera, secrets, preferences, network

        /// What it tries.
        var name: String {
            switch self {
            case .chatModel: ChatModelConformance.suite.name
            case .liveModel: LiveModelConformance.suite.name
            case .store: ObjectStoreConformance.suite.name
            case .camera: CameraSourceConformance.suite.name
            case .secrets: SecretStoreConformance.suite.name
            case .preferences: PreferenceStoreConformance.suite.name
            case .network: NetworkMonitorConformance.suite.name
            }
        }
    }

    @Argument(
        help: "Which suite: chat-model, live-model, store, camera, secrets, preferences or network."
    )
    var suite: Subject

    @Option(
        help:
            "Where the service or the camera is. (default: Google for models, the first camera of this machine)"
    )
    var endpoint: String?

    @Option(
        help:
            "The model that is asked. (default: gemini-2.5-flash, and for a live model gemini-live-2.5-flash-preview)"
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

    @Option(
        help: "A folder as the storage, or for files of secrets; its parent must exist.",
        completion: .directory
    )
    var folder: String?

    @Option(help: "The environment variable with a passphrase for secrets. (default: a key file locks them)")
    var passphraseFrom: String?

    @Option(help: "A new file for preferences, which is removed again.", completion: .file())
    var file: String?

    @Flag(help: "Let routes of the network come and go, where no link works: in a namespace of its own.")
    var changeNetwork = false

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

    @Option(help: "What the implementation is called in results. (default: where it is)")
    var name: String?

    @Option(help: "Write the cases as JUnit's XML, for CI.", completion: .file(extensions: ["xml"]))
    var junit: String?

    @Option(
        help: "Write what --json prints into a file, for lenssim matrix.",
        completion: .file(extensions: ["json"])
    )
    var out: String?

    @Option(
        name: .customLong("reference"),
        help: ArgumentHelp(
            "What --out has written about the real service, or about an implementation of others, to compare with; may be repeated.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var references: [String] = []

    @Option(
        help: ArgumentHelp(
            "JSON with cases in which references may differ, each with its reason; those that do not differ fail.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var knownDrift: String?

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        if keyFrom != nil, keyFile != nil { throw ValidationError("Give either --key-from or --key-file.") }
        // It stands in results, and would be in what services write about their requests.
        if let endpoint, endpoint.contains("@") || endpoint.contains("?") {
            throw ValidationError(
                "--endpoint is an address without a user and without a query: give keys with --key-from or --key-file."
            )
        }
        if folder != nil,
            suite != .store && suite != .secrets || endpoint != nil || accessKey != nil || keyFrom != nil
                || keyFile != nil
        {
            throw ValidationError(
                "A folder is a storage, or a place for secrets, without an address and without keys."
            )
        }
        if passphraseFrom != nil, suite != .secrets {
            throw ValidationError("--passphrase-from is for secrets.")
        }
        if file != nil, suite != .preferences { throw ValidationError("--file is for preferences.") }
        if knownDrift != nil, references.isEmpty {
            throw ValidationError("--known-drift is about references: give --reference.")
        }
        if changeNetwork, suite != .network { throw ValidationError("--change-network is for network.") }
    }

    func run() async throws {
        try await reportingFailures { terminal in
            let references = try references.map { try SuiteResult(path: $0, of: suite.name) }
            let known = try knownDrift.map { try [KnownDrift](path: $0) } ?? []
            // Until it ends, files say that it did not: those of an earlier run are never taken for its results, and what cannot be written
            // is known before anything is asked for.
            try write(result(error: "the suite did not end"))
            let transport = try LiveTransport()
            let outcome: Result<ConformanceReport, any Error>
            do { outcome = .success(try await report(over: transport)) } catch { outcome = .failure(error) }
            await transport.shutdown()
            switch outcome {
            case .success(let report):
                var result = result(report)
                if !references.isEmpty {
                    result.drift = DriftCheck(of: result, from: references, known: known)
                }
                try show(result, report, on: terminal)
                if result.count(.failed) > 0 || result.drift?.isWrong == true { throw Exit.failed }
            case .failure(let skipped as CaseSkipped):
                try show(result(skipped: skipped.reason), ConformanceReport(), on: terminal)
            case .failure(let error):
                try write(result(error: (error as? ValidationError)?.message ?? "\(error)"))
                throw error
            }
        }
    }

    private func result(
        _ report: ConformanceReport = ConformanceReport(),
        skipped: String? = nil,
        error: String? = nil
    ) -> SuiteResult {
        SuiteResult(suite.name, of: name ?? standardName, report, skipped: skipped, error: error)
    }

    private func report(over transport: LiveTransport) async throws -> ConformanceReport {
        switch suite {
        case .chatModel: try await chat(over: transport)
        case .liveModel: try await live(over: transport)
        case .store: try await storage(over: transport)
        case .camera: try await camera(over: transport)
        case .secrets: try await secrets()
        case .preferences: try await preferences()
        case .network: try await network(over: transport)
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

    /// What results are named after where the user gives no name.
    private var standardName: String {
        if let place = folder ?? file ?? endpoint { return place }
        switch suite {
        case .chatModel, .liveModel: return "Google"
        case .store: return "no store"
        case .camera: return "first camera"
        case .secrets: return "no folder"
        case .preferences: return "no file"
        case .network: return "this machine"
        }
    }

    private func show(_ result: SuiteResult, _ report: ConformanceReport, on terminal: Terminal) throws {
        if json {
            try printJSON(result, on: terminal)
        } else {
            let text =
                result.skipped.map {
                    "The suite of \(suite.name)s was skipped: \($0)."
                        + (references.isEmpty ? "" : " Nothing was compared with references.")
                }
                ?? (["\(suite.name)", "\(report)"] + [result.drift?.description].compactMap(\.self))
                .joined(separator: "\n\n")
            terminal.line(text.visible(keepsLines: true))
        }
        try write(result)
    }

    private func write(_ result: SuiteResult) throws {
        if let junit { try OutputFile(path: junit).write(Data(result.junit().utf8)) }
        if let out { try OutputFile(path: out).write(result.json()) }
    }
}
