import AppHost
import ArgumentParser
import Argus
import ArgusReplay
import CommandKit
import Foundation
import PushConnection
import ScenarioKit
import ServiceClient
import Services

/// Argus in a browser.
@main
struct ArgusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "argus",
        abstract: "Opens Argus in your browser: what the cameras of a home hub have seen.",
        discussion: """
            Without options everything is on this machine: a hub with three cameras at home, a relay behind which it is, too, \
            and the notifications of this device. The code that pairs the app is printed, and shown on the page; switches \
            there take the hub off the network, cut the internet, and ring the bell.

            Examples:
              argus --open
              argus --open --port 8090 --token-lifetime 30
              argus --open --hub http://192.168.1.20:8000
              argus --open --discover --relay https://hub.example.org
              argus --open --hub http://192.168.1.20:8000 --dialect hub
              argus --open --discover --push wss://push.example.org/device
              argus --open --record home.lenssession
              argus --open --record always.lenssession --last 10m
              argus --open --replay home.lenssession
              argus --json

            With --hub, --discover or --relay the app speaks to a hub of yours. At home it is called by http, as hubs want it, and \
            the tokens of the pairing travel in the clear there: they go to private addresses alone, and to no other hub than the one \
            that was paired. Notifications need a push service, and are off then. The session is kept encrypted in the folder; the \
            key file that opens it is there too: whoever can copy the folder can read it, unless --passphrase-from names a \
            passphrase.

            With --record the session is written to a file: what crossed the network, what the device said, what the screens \
            showed and what was done on them, without tokens. The code of a pairing is in it, which is valid until the hub has \
            taken it or its time is over. All tabs show the same then, the app begins unpaired, and there are no notifications. What \
            it is paired with is not kept: sign out before you end it, or your hub goes on listing this device. lenssim replay FILE \
            runs the app again on it, and compares.

            With --last the file keeps the last minutes alone and stays small, so that an app can be recorded always: what came before a crash is in it. \
            lenssim inspect and lenssim export show such a recording; lenssim replay runs one that has its beginning still.

            With --replay the page shows a recorded session: what each screen showed, what was done, and what crossed the network, at any time. \
            The file is only read, and nothing can be done on the page but look.

            Only this machine can reach the page, and only a browser that has opened the printed address, which has a \
            token. Ends with Ctrl-C, or with SIGTERM.

            Exit codes: 64 for wrong options, 65 and 66 for a recording that cannot be used or is missing, 69 for an address that cannot be used, 74 for a folder that is in use or fails and \
            for a recording that cannot be written, 77 for one that may not be written and for a wrong passphrase.
            """,
        version: LensSimVersion.current
    )

    /// What a hub speaks.
    enum Dialect: String, ExpressibleByArgument, CaseIterable {
        case seed, hub
    }

    private static let output = AppOutput("argus")
    private static let usualTopic = "dev.lenssim.argus"

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(help: "The page's port; 0 takes a free one. (default: that of the last run, if it is free)")
    var port: Int?

    @Option(help: "Where the session is kept.", completion: .directory)
    var folder = ".lenssim/argus"

    @Option(help: "Your hub on the local network, such as http://192.168.1.20:8000. (default: simulated)")
    var hub: String?

    @Flag(help: "Find your hub on the local network by multicast DNS.")
    var discover = false

    @Option(help: "Where your hub is reached from everywhere, such as https://hub.example.org.")
    var relay: String?

    @Option(
        help:
            "What your hub speaks: seed, where it shows the code of a pairing, or hub, where the app shows it, as for the public one. (default: seed)"
    )
    var dialect: Dialect?

    @Option(
        help: "The URL for devices of the push service to which your hub sends. (default: no notifications)"
    )
    var push: String?

    @Option(help: "The app at the push service, by its bundle ID. (default: \(Self.usualTopic))")
    var pushTopic: String?

    @Option(help: "A certificate to trust besides the system's, in PEM.", completion: .file())
    var caFile: String?

    @Option(help: "How many events the simulated hub has at the start. (default: 42)")
    var events: Int?

    @Option(
        help: "Seconds between two events of the simulated hub; 0 for none but those you make. (default: 40)"
    )
    var eventInterval: Double?

    @Option(help: "How long an access token of the simulated hub is valid, in seconds. (default: 3600)")
    var tokenLifetime: Int?

    @Option(
        help:
            "The environment variable with a passphrase that locks the session. (default: a key file beside it)"
    )
    var passphraseFrom: String?

    @OptionGroup var recording: RecordingArguments

    @Flag(help: "Print one line: a JSON object with the page's address and the code, once it can be opened.")
    var json = false

    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
        if let hub {
            guard !discover else { throw ValidationError("--hub and --discover are two ways: choose one.") }
            guard KnownHub.address(hub) != nil else {
                throw ValidationError(
                    "--hub wants http and a private address, such as http://192.168.1.20:8000; for others there is --relay."
                )
            }
        }
        if let relay {
            guard let address = ServiceAddress(relay) else {
                throw ValidationError("--relay wants an address such as https://hub.example.org.")
            }
            guard address.scheme == "https" || KnownHub.isThisMachine(address) else {
                throw ValidationError(
                    "The session would travel in the clear: --relay wants https for another machine."
                )
            }
        }
        try validatePush()
        try validateSimulation()
        if let passphraseFrom,
            ProcessInfo.processInfo.environment[passphraseFrom, default: ""].isEmpty
        {
            throw ValidationError("The environment variable \(passphraseFrom) is not set.")
        }
    }

    private func validatePush() throws {
        guard let push else {
            if pushTopic != nil { throw ValidationError("--push-topic needs --push.") }
            return
        }
        guard let service = PushServiceAddress(push) else {
            throw ValidationError(
                "“\(push)” is no address of a push service. One is written as wss://push.example.org/device."
            )
        }
        guard service.scheme == "wss" || KnownHub.address("http://\(service.authority)") != nil else {
            throw ValidationError(
                "Notifications would travel in the clear: --push wants wss for others than private addresses."
            )
        }
        if pushTopic?.isEmpty == true { throw ValidationError("--push-topic must not be empty.") }
    }

    private func validateSimulation() throws {
        guard recording.record == nil || !discover && push == nil && (hub != nil || relay == nil) else {
            throw ValidationError(
                "--record wants the simulated home or --hub: what multicast DNS finds, and notifications, are in no recording."
            )
        }
        guard recording.record == nil || passphraseFrom == nil else {
            throw ValidationError("--passphrase-from locks a session that is kept: a recorded one is not.")
        }
        if hub == nil, !discover, relay == nil, push != nil || caFile != nil {
            throw ValidationError(
                "--push and --ca-file are about a hub of yours: add --hub, --discover or --relay."
            )
        }
        if dialect != nil, hub == nil, !discover, relay == nil {
            throw ValidationError("--dialect is about a hub of yours: add --hub, --discover or --relay.")
        }
        if hub != nil || discover || relay != nil {
            guard events == nil, eventInterval == nil, tokenLifetime == nil else {
                throw ValidationError(
                    "--events, --event-interval and --token-lifetime are about the simulated hub: leave them out."
                )
            }
        }
        if let events, !(0...100_000).contains(events) {
            throw ValidationError("--events must be 0 to 100000.")
        }
        if let eventInterval, eventInterval != 0, !(0.1...86_400).contains(eventInterval) {
            throw ValidationError("--event-interval must be 0, or 0.1 to 86400.")
        }
        if let tokenLifetime, !(1...86_400).contains(tokenLifetime) {
            throw ValidationError("--token-lifetime must be 1 to 86400.")
        }
    }

    func run() async throws {
        let stop = StopRequest()
        // The session is for its owner alone, whatever the rights of the folder are.
        let mask = umask(0o077)
        do {
            if let session = try recording.shown() {
                let page = try await ReplayedPage.start(.argus, session, port: port ?? 0)
                try await page.show(opens: open, asJSON: json, on: Self.output, mask, until: stop)
            } else {
                try await serve(mask, until: stop)
            }
        } catch {
            Self.output.warn("\(error)")
            throw Exit.code(for: error)
        }
    }

    private func serve(_ mask: mode_t, until stop: StopRequest) async throws {
        let place = try AppFolder(path: folder, of: "Argus")
        defer { place.release() }
        let argus = try await RunningArgus.start(choices, in: place) { Self.output.warn($0) }
        if let exposure = place.exposure { Self.output.warn(exposure) }
        do {
            try tell(argus)
            let browser =
                open
                ? try BrowserStart(
                    at: argus.page.address,
                    title: "Argus",
                    through: place.path + "/open.html",
                    mask: mask
                ) { Self.output.warn($0) } : nil
            await stop.wait()
            _ = consume browser
        } catch {
            try? await argus.stop()
            throw error
        }
        try await argus.stop()
        if !json, let ending = recording.ending("lenssim replay runs it again") { Self.output.line(ending) }
    }

    private var choices: RunningArgus.Choices {
        let environment = ProcessInfo.processInfo.environment
        return RunningArgus.Choices(
            hub: hub.flatMap(KnownHub.address),
            discovers: discover,
            relay: relay.flatMap(ServiceAddress.init),
            dialect: dialect == .hub ? .hub : .seed,
            push: push.flatMap(PushServiceAddress.init).map {
                PushConnection.Settings(service: $0, topic: pushTopic ?? Self.usualTopic)
            },
            caFile: caFile,
            events: events ?? 42,
            eventInterval: eventInterval ?? 40,
            tokenLifetime: tokenLifetime,
            passphrase: passphraseFrom.flatMap { environment[$0] }.map { Secret($0) },
            port: port,
            recording: recording.chosen()
        )
    }

    // MARK: Output

    private struct Facts: Encodable {
        var page: String
        /// Of the simulated hub.
        var hub: String?
        var relay: String?
        var pairingCode: String?
    }

    private func tell(_ argus: RunningArgus) throws {
        let home = argus.home
        if json {
            return try Self.output.line(
                of: Facts(
                    page: argus.page.address,
                    hub: home?.hubAddress.description,
                    relay: home?.relay.description ?? relay,
                    pairingCode: home?.code
                )
            )
        }
        Self.output.line("Argus is at  \(argus.page.address)")
        if let home {
            Self.output.line("hub simulated at \(home.hubAddress), its relay at \(home.relay)")
            Self.output.line("pairing code \(home.code)")
        } else {
            Self.output.line(
                dialect == .hub ? "the page shows the pairing code" : "your hub shows the pairing code"
            )
        }
        Self.output.line("Ctrl-C ends it.")
    }
}
