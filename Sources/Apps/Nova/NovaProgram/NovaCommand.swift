import AppHost
import ArgumentParser
import CommandKit
import Concurrency
import Foundation
import NovaPage
import NovaReplay
import ScenarioKit
import ServiceClient
import Services

/// Nova in a browser.
@main
struct NovaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nova",
        abstract: "Opens Nova in your browser: pictures of people, and yours, also without a network.",
        discussion: """
            Without options everything is on this machine: a simulated Nova with its storage, its people and their posts, an issuer of \
            identity tokens, and a library of photos. The account that can be used is printed, and shown on the page; a switch there \
            puts the device into aeroplane mode.

            Examples:
              nova --open
              nova --open --port 8090 --token-lifetime 30
              nova --open --url https://nova.example.org
              nova --open --record feed.lenssession
              nova --open --record always.lenssession --last 10m
              nova --open --replay feed.lenssession
              nova --json

            With --url the app speaks to a Nova of yours. The session is kept encrypted in the folder; the key file that opens it \
            is there too: whoever can copy the folder can read it, unless --passphrase-from names a passphrase. What waits for Nova \
            is kept beside it, with its photos, and not encrypted.

            With --record the session is written to a file: what crossed the network, what the device said, what the screens \
            showed and what was done on them, with the photos that were picked, and without passwords and tokens. All tabs show the \
            same then, and the app begins signed out: what waits in the folder is left alone, and nothing of the recorded session is \
            kept. lenssim replay FILE runs the app again on it, and compares.

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

    private static let output = AppOutput("nova")

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(help: "The page's port; 0 takes a free one. (default: that of the last run, if it is free)")
    var port: Int?

    @Option(help: "Where the session, and what waits for Nova, are kept.", completion: .directory)
    var folder = ".lenssim/nova"

    @Option(help: "Your Nova, such as https://nova.example.org. (default: simulated)")
    var url: String?

    @Option(help: "How many posts the simulated Nova has at the start. (default: 45)")
    var posts: Int?

    @Option(help: "How long an access token of the simulated Nova is valid, in seconds. (default: 900)")
    var tokenLifetime: Int?

    @Option(
        help:
            "The environment variable with a passphrase that locks the session. (default: a key file beside it)"
    )
    var passphraseFrom: String?

    @OptionGroup var recording: RecordingArguments

    @Flag(
        help:
            "Print one line: a JSON object with the page's address and the simulated account, once it can be opened."
    )
    var json = false

    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
        if let url {
            guard let address = ServiceAddress(url) else {
                throw ValidationError("--url wants an address such as https://nova.example.org.")
            }
            let host = address.authority.prefix { $0 != ":" }.lowercased()
            let isHere = ["localhost", "127.0.0.1"].contains(host) || address.authority.hasPrefix("[::1]")
            guard address.scheme == "https" || isHere else {
                throw ValidationError(
                    "The password would travel in the clear: --url wants https for another machine."
                )
            }
            guard posts == nil, tokenLifetime == nil else {
                throw ValidationError(
                    "--posts and --token-lifetime are about the simulated Nova: leave out --url."
                )
            }
        }
        guard recording.record == nil || passphraseFrom == nil else {
            throw ValidationError("--passphrase-from locks a session that is kept: a recorded one is not.")
        }
        if let posts, !(0...10_000).contains(posts) { throw ValidationError("--posts must be 0 to 10000.") }
        if let tokenLifetime, !(1...86_400).contains(tokenLifetime) {
            throw ValidationError("--token-lifetime must be 1 to 86400.")
        }
        if let passphraseFrom,
            ProcessInfo.processInfo.environment[passphraseFrom, default: ""].isEmpty
        {
            throw ValidationError("The environment variable \(passphraseFrom) is not set.")
        }
    }

    func run() async throws {
        let stop = StopRequest()
        // Session and queue are for their owner alone, whatever the rights of the folder are.
        let mask = umask(0o077)
        do {
            if let session = try recording.shown() {
                let page = try await ReplayedPage.start(.nova, session, port: port ?? 0)
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
        let place = try AppFolder(path: folder, of: "Nova")
        defer { place.release() }
        let nova = try await RunningNova.start(choices, in: place)
        if let exposure = place.exposure { Self.output.warn(exposure) }
        do {
            try tell(nova)
            let browser =
                open
                ? try BrowserStart(
                    at: nova.page.address,
                    title: "Nova",
                    through: place.path + "/open.html",
                    mask: mask
                ) { Self.output.warn($0) } : nil
            await stop.wait()
            _ = consume browser
        } catch {
            try? await nova.stop()
            throw error
        }
        try await nova.stop()
        if !json, let ending = recording.ending("lenssim replay runs it again") { Self.output.line(ending) }
    }

    private var choices: RunningNova.Choices {
        let environment = ProcessInfo.processInfo.environment
        return RunningNova.Choices(
            url: url.flatMap(ServiceAddress.init),
            posts: posts ?? 45,
            tokenLifetime: tokenLifetime,
            passphrase: passphraseFrom.flatMap { environment[$0] }.map { Secret($0) },
            port: port,
            recording: recording.chosen()
        )
    }

    // MARK: Output

    private struct Facts: Encodable {
        var page: String
        var url: String?
        /// Of the simulated Nova.
        var s3: String?
        var email: String?
        var password: String?
    }

    private func tell(_ nova: RunningNova) throws {
        let account = nova.world?.states.value
        if json {
            return try Self.output.line(
                of: Facts(
                    page: nova.page.address,
                    url: nova.world?.address.description ?? url,
                    s3: nova.world?.storage,
                    email: account?.email,
                    password: account?.password
                )
            )
        }
        Self.output.line("Nova is at  \(nova.page.address)")
        if let world = nova.world, let account {
            Self.output.line("service simulated at \(world.address), its storage at \(world.storage)")
            Self.output.line("sign in as \(account.email) with \(account.password)")
        }
        Self.output.line("Ctrl-C ends it.")
    }
}
