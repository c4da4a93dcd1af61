import ArgumentParser
import CommandKit
import Foundation
import GeminiServer
import HTTP2Host
import LiveTransport
import LocalAuthority
import PPPP
import Services
import Transport

/// The command `lenssim serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves a simulated service on a socket, for any client.",
        usage: "lenssim serve <peer> [<options>]",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim serve gemini --port 8080
              lenssim serve gemini --tls --json               addresses, keys and the certificate for a program
              lenssim serve supabase --port 8081 --data ./objects
              lenssim serve supabase --user ada@example.com:difference   signs in at /auth/v1, beside those who sign up
              lenssim serve s3 --port 9000                    buckets for boto3, s3cmd and others
              lenssim serve s3 --json                         endpoint, keys, region and bucket for a program
              lenssim serve s3 --data ./buckets --constant-keys   buckets, objects and open uploads outlive the process
              lenssim serve s3 --faults s3.slowDown=0.1,s3.answerLost=0.05:silence=2 --seed 7
              lenssim serve gemini --record answers.yaml --from google      records a real server's answers\
            \(AppServices.types.map { "\n  " + $0.example }.joined())
              lenssim serve camera --dialect json --port 32108   a Wi-Fi camera that speaks PPPP
              lenssim serve push --tls --json                 Apple's interface for push providers, and WebSockets for devices
              lenssim serve echo                              HTTP bodies, WebSocket messages and datagrams come back

            Listens on this machine only, unless --allow-remote is given. Ends with Ctrl-C, or with SIGTERM.

            With --tls, a certificate authority is made for this run, and its certificate is written to a file. Clients that use \
            OpenSSL trust it with the printed SSL_CERT_FILE in their environment, Node with NODE_EXTRA_CA_CERTS. The certificate \
            is for localhost, 127.0.0.1, ::1 and --host.

            Of echo, the path /status/503 refuses requests and handshakes, and /close/4000/reason ends a WebSocket after its first \
            message.

            A script for Gemini is YAML: version: 1, delay (seconds before each message), and replies (a list, each a text or a list \
            of texts, one for each message; after the last the first again) or rules: [{ when: { text: weather }, reply: Rain. }], of \
            which the first speaks that holds. Fixtures/Gemini has examples of all conditions, messages, calls and errors; reply: { error: { code: 503 } } is a status \
            over REST and the close 1011 in a Live session, and reply: { blocked: SAFETY } a blocked prompt in both. A rule with per: conversation counts its \
            times and replies in each conversation for itself. GET \
            /__lenssim/journal shows what clients have sent, without media and keys: requests over REST; Live sessions with their frames \
            (number and size) and how they ended; and their messages, such as setups, texts and tool responses.

            With --record, everything is passed on to the Gemini of --from, with the key from the environment, and its answers are written to a \
            script: --script answers.yaml gives them again without it. Clients use the printed key.

            Without --data, a Supabase and an S3 keep their objects in memory; with it, they stream them to files in that folder. An S3 takes buckets in the path at every address, and in the host below localhost. Objects of its \
            first bucket can be read by anybody; everything else wants a signature with the printed keys.

            A camera waits for searches at a UDP port, and holds its sessions there. Its packets are obfuscated as its device ID demands: with \
            the key vstarcam2019 for cgi, camera for json, and not at all for binary.

            Keys are drawn for each run. A file for --faults is YAML: version: 1 and peers: [{ point: http.429, probability: 0.1 }]. Without \
            a file, faults are typed as POINT=PROBABILITY between commas, with the numbers of a point behind colons: http.slow=0.5:seconds=3. \
            The answer to a point that does not exist lists those that do. With the same --seed, a point makes the same decisions, \
            passing by passing.

            Exit codes are those of lenssim --help: 64 for wrong options, 65 for a certificate, a script or faults that cannot be used, 66 \
            for a missing file, 69 for an address that cannot be used, 74 and 77 for files that cannot be kept or may not be.
            """
        )
    )

    /// A service, by its name.
    struct Peer: ExpressibleByArgument, Hashable {
        let name: String

        static let gemini = Peer(name: "gemini")
        static let supabase = Peer(name: "supabase")
        static let s3 = Peer(name: "s3")
        static let camera = Peer(name: "camera")
        static let push = Peer(name: "push")
        static let echo = Peer(name: "echo")
        private static let all =
            [gemini, supabase, s3] + AppServices.types.map { Peer(name: $0.name) } + [camera, push, echo]

        static var allValueStrings: [String] { all.map(\.name) }
        static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

        fileprivate init(name: String) { self.name = name }

        init?(argument: String) {
            guard let known = Self.all.first(where: { $0.name == argument }) else { return nil }
            self = known
        }
    }

    /// What a camera speaks.
    enum Dialect: String, CaseIterable {
        case cgi, json, binary

        var framing: CommandFraming {
            switch self {
            case .cgi: .cgi
            case .json: .json
            case .binary: .binary
            }
        }
    }

    @Argument(help: "Which service.")
    var peer: Peer

    @Option(help: "The port; 0 takes a free one. The datagrams of echo have the same port, or a free one.")
    var port = 0

    @Option(help: "The address to listen on.")
    var host = "127.0.0.1"

    @Flag(help: "Listen where other machines can reach it.")
    var allowRemote = false

    @Flag(help: "Print one line: a JSON object with addresses and keys, once the service can be used.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "The folder in which \((["Supabase", "S3"] + AppServices.types.filter { $0.keepsState }.map { $0.title }).joined(separator: ", ")) keeps what it has between runs. (default: memory only)"
        ),
        completion: .directory
    )
    var data: String?

    @Option(
        name: .customLong("user"),
        help: ArgumentHelp(
            "Somebody who may sign in at Supabase; may be given more than once.",
            valueName: "email:password"
        )
    )
    var users: [UserArgument] = []

    @Option(
        help: "A YAML file with what Gemini says. (default: it describes what it sees)",
        completion: .file()
    )
    var script: String?

    @Option(
        help:
            "What the service speaks: \(dialects.map { "\($0.words.joined(separator: " or ")) of \($0.peer.name)" }.joined(separator: ", ")). (default: the first)"
    )
    var dialect: String?

    @OptionGroup var services: AppServices

    @OptionGroup var push: PushArguments

    @Flag(help: "Have the camera reached through a directory server and a relay of this machine alone.")
    var relay = false

    @Option(
        help:
            "A plan of faults, or faults such as http.503=0.1, that are armed at \((["Gemini", "Supabase", "S3", "push"] + AppServices.types.map { $0.title }).joined(separator: ", ")) or the camera.",
        completion: .file()
    )
    var faults: String?

    @Option(help: "With --faults: the number that decides their chances. (default: drawn, and printed)")
    var seed: UInt64?

    @Option(help: "Write what the Gemini of --from answers to this file, as a script.", completion: .file())
    var record: String?

    @Option(help: "With --record: google, or an address such as wss://host or http://127.0.0.1:8080.")
    var from: GeminiAddress?

    @Option(
        help: "With --record: the environment variable with the key for --from. (default: GEMINI_API_KEY)"
    )
    var keyFrom: String?

    @Option(
        help:
            "Live sessions of Gemini that may be open at a time; more are closed with 1011. (default: any number)"
    )
    var concurrentSessions: Int?

    @Flag(help: "Refuse Live sessions of Gemini for where the client is, with 1007.")
    var refuseRegion = false

    @Flag(help: "Have Live sessions of Gemini say that they cannot be gone on with while the model speaks.")
    var tellNotResumable = false

    @Flag(help: "Keys that are the same in every run, and public; not with --allow-remote.")
    var constantKeys = false

    @Option(
        help:
            "Seconds that a peer may stand still: between requests, in one, with an answer or a pong. (default: 60)"
    )
    var patience: Double?

    @Flag(help: "Serve over TLS, with a certificate of a local authority that is made for this run.")
    var tls = false

    @Option(
        help: "With --tls: the file for the authority's certificate. (default: a temporary one)",
        completion: .file()
    )
    var caFile: String?

    @Option(help: "A certificate chain in PEM, for TLS; with --private-key.", completion: .file())
    var certificate: String?

    @Option(help: "The certificate's private key in PEM.", completion: .file())
    var privateKey: String?

    func validate() throws {
        if !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
        if let patience, !(0.001...86_400).contains(patience) {
            throw ValidationError("--patience must be 0.001 to 86400 seconds.")
        }
        if (certificate == nil) != (privateKey == nil) {
            throw ValidationError("TLS needs both --certificate and --private-key.")
        }
        if tls, certificate != nil {
            throw ValidationError("--tls makes a certificate of its own: leave out --certificate or --tls.")
        }
        if caFile != nil, !tls { throw ValidationError("--ca-file is for --tls.") }
        let keepers = ["supabase", "s3"] + AppServices.types.filter { $0.keepsState }.map { $0.name }
        if data != nil, !keepers.contains(peer.name) {
            throw ValidationError("--data is for \(keepers.map { "serve \($0)" }.joined(separator: ", ")).")
        }
        if seed != nil, faults == nil { throw ValidationError("--seed is for --faults.") }
        if !users.isEmpty, peer != .supabase { throw ValidationError("--user is for serve supabase.") }
        if faults != nil, peer == .echo {
            let names = Peer.allValueStrings.filter { $0 != Peer.echo.name && $0 != Peer.camera.name }
            throw ValidationError("--faults is for \(names.joined(separator: ", ")) and camera.")
        }
        try checkDialect()
        for service in services.all where type(of: service).name != peer.name { try service.refuseOptions() }
        if peer != .push { try push.refuse() }
        if constantKeys, peer == .push {
            throw ValidationError(
                "A push service keeps its key in a file: --provider-key instead of --constant-keys."
            )
        }
        if relay, peer != .camera { throw ValidationError("--relay is for serve camera.") }
        if relay, allowRemote {
            throw ValidationError("Directory and relay are for this machine alone: leave out --allow-remote.")
        }
        if peer == .camera, tls || certificate != nil {
            throw ValidationError(
                "A camera speaks datagrams, without TLS: leave out --tls and --certificate."
            )
        }
        if constantKeys, allowRemote {
            throw ValidationError("Keys that everybody knows protect nothing: leave out --constant-keys.")
        }
        if record != nil || from != nil || keyFrom != nil {
            if peer != .gemini { throw ValidationError("--record is for serve gemini.") }
            if record == nil || from == nil {
                throw ValidationError("--record needs --from, and --from --record.")
            }
            if let record, FileManager.default.fileExists(atPath: record) {
                throw ValidationError("There is a file \(record) already: name another one, or move it away.")
            }
            if let from, from.showsKeys {
                throw ValidationError(
                    "The key would travel in the clear: --from wants https or wss for another machine."
                )
            }
            if script != nil || faults != nil {
                throw ValidationError(
                    "A recording has the answers of --from alone: leave out --script and --faults."
                )
            }
            if (ProcessInfo.processInfo.environment[keyName] ?? "").isEmpty {
                throw ValidationError(
                    "There is no key in the environment variable \(keyName): name another with --key-from."
                )
            }
        }
        if concurrentSessions != nil || refuseRegion || tellNotResumable {
            if peer != .gemini || record != nil {
                throw ValidationError(
                    "--concurrent-sessions, --refuse-region and --tell-not-resumable are for serve gemini, without --record."
                )
            }
        }
        if let concurrentSessions, concurrentSessions < 1 {
            throw ValidationError("--concurrent-sessions must be 1 or more.")
        }
        if script != nil, peer != .gemini { throw ValidationError("--script is for serve gemini.") }
    }

    /// The services that speak more than one dialect, with the words for these.
    private static let dialects: [(peer: Peer, words: [String])] =
        [(.camera, Dialect.allCases.map(\.rawValue))]
        + AppServices.types.filter { !$0.dialects.isEmpty }.map { (Peer(name: $0.name), $0.dialects) }

    private func checkDialect() throws {
        guard let dialect else { return }
        guard let words = Self.dialects.first(where: { $0.peer == peer })?.words else {
            let names = Self.dialects.map { "serve \($0.peer.name)" }.joined(separator: " and ")
            throw ValidationError("--dialect is for \(names).")
        }
        guard words.contains(dialect) else {
            throw ValidationError(
                "--dialect must be \(words.joined(separator: " or ")) for serve \(peer.name)."
            )
        }
    }

    private var keyName: String { keyFrom ?? "GEMINI_API_KEY" }

    /// The recording that is asked for.
    private func recording(_ terminal: Terminal) throws -> GeminiRecording? {
        guard let record, let from else { return nil }
        let key = Secret(ProcessInfo.processInfo.environment[keyName] ?? "")
        return try GeminiRecording(of: from.endpoint, key: key, into: record) { terminal.warn($0) }
    }

    func run() async throws {
        SystemMemory.givesBackLargeBlocks()
        let terminal = Terminal()
        let stop = StopRequest()
        do {
            try await serve(until: stop, terminal)
        } catch let usage as ValidationError {
            throw usage
        } catch let error as TransportError where error.code == .addressUnavailable {
            terminal.warn("lenssim: \(error). Choose another --port or --host; port 0 takes a free port.")
            throw Exit.code(for: error)
        } catch {
            terminal.warn("lenssim: \(error)")
            // The certificate is the user's own file.
            let isOwn = (error as? TransportError)?.code == .certificateRejected
            throw isOwn ? Exit.dataUnusable : Exit.code(for: error)
        }
    }

    private func serve(until stop: StopRequest, _ terminal: Terminal) async throws {
        let authority = tls ? try LocalAuthority(host: host) : nil
        let identity = try authority?.identity ?? identity()
        let sockets = try LoopbackHost(
            allowRemote: allowRemote,
            identity: identity,
            limits: patience.map { LoopbackHost.Limits(patience: .seconds($0)) } ?? LoopbackHost.Limits()
        )
        let address = SocketAddress(host: host, port: port)
        guard try await sockets.allows(address) else {
            throw ValidationError("Other machines can reach \(host): add --allow-remote to allow that.")
        }
        let recording = try recording(terminal)
        let service = try await start(recording, identity, on: sockets, at: address)
        do {
            let authorityFile = try authority.map { try write($0) }
            defer {
                if caFile == nil, let authorityFile {
                    try? FileManager.default.removeItem(atPath: authorityFile)
                }
            }
            var facts = service.facts
            facts.authorityFile = authorityFile
            if json {
                terminal.line(try facts.json())
            } else {
                for line in facts.lines { terminal.line(line) }
            }
            await stop.wait()
        } catch {
            await service.stop()
            await recording?.stop()
            throw error
        }
        await service.stop()
        await recording?.stop()
    }

    /// Starts the service, and returns once clients can use it.
    private func start(
        _ recording: GeminiRecording?,
        _ identity: ServerIdentity?,
        on sockets: LoopbackHost,
        at address: SocketAddress
    ) async throws -> HostedService {
        let faults = try serviceFaults()
        let isSecure = tls || certificate != nil
        if peer == .camera {
            return HostedService.start(
                try await HostedCamera.start(
                    (dialect.flatMap { Dialect(rawValue: $0) } ?? .cgi).framing,
                    // As long as apps of such cameras take.
                    password: constantKeys ? nil : String(KeySource.random().prefix(16)),
                    faults: faults,
                    relay: relay,
                    on: sockets,
                    at: address
                ),
                named: peer.name,
                faults: faults
            )
        }
        if peer == .push {
            return try await .startPush(
                push,
                faults: faults,
                isSecure: isSecure,
                on: HTTP2Host(allowRemote: allowRemote, identity: identity),
                sockets,
                at: address
            )
        }
        if peer == .echo {
            return try await .startEcho(named: peer.name, isSecure: isSecure, on: sockets, at: address)
        }
        return try await .start(
            server(recording),
            named: peer.name,
            faults: faults,
            isSecure: isSecure,
            on: sockets,
            at: address
        )
    }

    /// The server of a service that speaks HTTP, and has keys.
    private func server(_ recording: GeminiRecording?) throws -> ServedServer {
        if peer == .supabase {
            return try .supabase(
                folder: data,
                secret: constantKeys ? nil : KeySource.random(),
                users: users
            )
        }
        if peer == .s3 { return try .s3(folder: data, keys: constantKeys ? nil : .drawn()) }
        if let service = services.all.first(where: { type(of: $0).name == peer.name }) {
            let words = type(of: service).dialects
            return try service.server(
                constantKeys ? .constant : .drawn,
                dialect: dialect ?? words.first,
                folder: data
            )
        }
        let key = constantKeys ? "simulated-gemini-key" : "simulated-" + KeySource.random()
        if let recording { return .gemini(recording, key: key) }
        return .gemini(key: key, brain: try script.map(ModelScriptFile.brain)) {
            $0.concurrentSessions = concurrentSessions
            $0.refusesRegion = refuseRegion
            $0.tellsWhenNotResumable = tellNotResumable
        }
    }

    /// The faults that are asked for.
    private func serviceFaults() throws -> ServiceFaults? {
        guard let faults else { return nil }
        let seed = seed ?? .random(in: 0...UInt64(UInt32.max))
        if ServiceFaultList.isWritten(in: faults), !FileManager.default.fileExists(atPath: faults) {
            return ServiceFaults(text: faults, source: .list(try ServiceFaultList(faults)), seed: seed)
        }
        guard faults != "swarm", let plan = PlanArgument(argument: faults) else {
            throw ValidationError("--faults needs a file, or faults such as http.503=0.1.")
        }
        let file = try ServiceFaultFile(path: faults, text: plan.text())
        return ServiceFaults(text: faults, source: .file(file), seed: seed)
    }

    /// Certificate and key, whose files are there and can be read; `nil` for plain text.
    private func identity() throws -> ServerIdentity? {
        guard let certificate, let privateKey else { return nil }
        for path in [certificate, privateKey] { try InputFile(path: path).check() }
        return ServerIdentity(certificateChain: .file(certificate), privateKey: .file(privateKey))
    }

    /// Writes the certificate to trust, and returns the absolute path of its file.
    private func write(_ authority: LocalAuthority) throws -> String {
        let file =
            caFile.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(path: "lenssim-ca-\(UUID().uuidString).pem")
        try OutputFile(path: caFile ?? file.path).write(Data(authority.rootPEM.utf8))
        return file.absoluteURL.standardizedFileURL.path
    }
}
