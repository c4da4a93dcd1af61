import AppHost
import ArgumentParser
import CommandKit
import Flow
import FlowReplay
import Foundation
import ScenarioKit
import ServiceClient
import Services

/// Flow in a browser.
@main
struct FlowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow",
        abstract: "Opens Flow in your browser: a sign-up in steps.",
        discussion: """
            Without options everything is on this machine: a simulated service checks e-mail and password, a code and three \
            steps. The code is printed, and nothing leaves the machine.

            Examples:
              flow --open
              flow --open --port 8090 --token-lifetime 5
              FLOW_CLIENT_SECRET=… flow --open --address https://example.org/api
              flow --open --record signup.lenssession
              flow --open --record always.lenssession --last 10m
              flow --open --replay signup.lenssession
              flow --json

            With --address the app speaks to another service. The client's secret comes from the environment variable \
            FLOW_CLIENT_SECRET, and is kept encrypted in the folder: later runs with the same address need it no more. The key file \
            that opens it is there too: whoever can copy the folder can read it, unless --passphrase-from names a passphrase.

            With --record the session is written to a file: what crossed the network, what the device said, what the screens \
            showed and what was done on them, without the password, the code and other secrets of six characters or more. All \
            tabs show the same then. lenssim replay FILE runs the app again on it, and compares.

            With --last the file keeps the last minutes alone and stays small, so that an app can be recorded always: what came before a crash is in it. \
            lenssim inspect and lenssim export show such a recording; lenssim replay runs one that has its beginning still.

            With --replay the page shows a recorded session: what each screen showed, what was done, and what crossed the network, at any time. \
            The file is only read, and nothing can be done on the page but look.

            Only this machine can reach the page, and only a browser that has opened the printed address, which has a \
            token. What is entered is kept in memory alone; the folder has the device's identity, the client's secret and the \
            service's token. Ends with Ctrl-C, or with SIGTERM.

            Exit codes: 64 for wrong options, 65 and 66 for a recording that cannot be used or is missing, 69 for an address that cannot be used, 74 for a folder that is in use or fails, 77 \
            for one that may not be written and for a wrong passphrase.
            """,
        version: LensSimVersion.current
    )

    private static let output = AppOutput("flow")

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(help: "The page's port; 0 takes a free one. (default: that of the last run, if it is free)")
    var port: Int?

    @Option(
        help: "Where the device's identity and the secrets are kept.",
        completion: .directory
    )
    var folder = ".lenssim/flow"

    @Option(help: "The service, such as https://flow.example.org/api. (default: simulated)")
    var address: String?

    @Option(help: "The client that the service knows the app by.")
    var clientID = "flow-app"

    @Option(help: "How long a token of the simulated service is valid, in seconds. (default: 900)")
    var tokenLifetime: Int?

    @Option(
        help:
            "The environment variable with a passphrase that locks the secrets. (default: a key file beside them)"
    )
    var passphraseFrom: String?

    @OptionGroup var recording: RecordingArguments

    @Flag(help: "Print one line: a JSON object with the page's address and the code, once it can be opened.")
    var json = false

    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
        if let address {
            guard let service = ServiceAddress(address) else {
                throw ValidationError("--address wants an address such as https://flow.example.org/api.")
            }
            let host = service.authority.prefix { $0 != ":" }.lowercased()
            let isHere = ["localhost", "127.0.0.1"].contains(host) || service.authority.hasPrefix("[::1]")
            guard service.scheme == "https" || isHere else {
                throw ValidationError(
                    "The password and the client's secret would travel in the clear: --address wants https for another machine."
                )
            }
        }
        if let tokenLifetime {
            guard address == nil else {
                throw ValidationError("--token-lifetime is about the simulated service: leave out --address.")
            }
            guard (1...86_400).contains(tokenLifetime) else {
                throw ValidationError("--token-lifetime must be 1 to 86400.")
            }
        }
        if let passphraseFrom,
            ProcessInfo.processInfo.environment[passphraseFrom, default: ""].isEmpty
        {
            throw ValidationError("The environment variable \(passphraseFrom) is not set.")
        }
    }

    func run() async throws {
        let stop = StopRequest()
        // Secrets are for their owner alone, whatever the rights of the folder are.
        let mask = umask(0o077)
        do {
            if let session = try recording.shown() {
                let page = try await ReplayedPage.start(.flow, session, port: port ?? 0)
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
        let place = try AppFolder(path: folder, of: "Flow")
        defer { place.release() }
        let flow = try await RunningFlow.start(choices, in: place) { result in
            if !json { Self.output.line("The flow was \(result).") }
        }
        if let exposure = place.exposure { Self.output.warn(exposure) }
        do {
            try tell(flow)
            let browser =
                open
                ? try BrowserStart(
                    at: flow.page.address,
                    title: "Flow",
                    through: place.path + "/open.html",
                    mask: mask
                ) { Self.output.warn($0) } : nil
            await stop.wait()
            _ = consume browser
        } catch {
            try? await flow.stop()
            throw error
        }
        try await flow.stop()
        if !json, let ending = recording.ending("lenssim replay runs it again") { Self.output.line(ending) }
    }

    private var choices: RunningFlow.Choices {
        let environment = ProcessInfo.processInfo.environment
        func secret(_ variable: String) -> Secret? {
            environment[variable].flatMap { $0.isEmpty ? nil : Secret($0) }
        }
        return RunningFlow.Choices(
            address: address.flatMap(ServiceAddress.init),
            clientID: clientID,
            clientSecret: secret("FLOW_CLIENT_SECRET"),
            tokenLifetime: tokenLifetime,
            passphrase: passphraseFrom.flatMap(secret),
            port: port,
            recording: recording.chosen()
        )
    }

    // MARK: Output

    private struct Facts: Encodable {
        var page: String
        var service: String
        /// Of the simulated service.
        var verificationCode: String?
    }

    private func tell(_ flow: RunningFlow) throws {
        if json {
            return try Self.output.line(
                of: Facts(page: flow.page.address, service: "\(flow.service)", verificationCode: flow.code)
            )
        }
        Self.output.line("Flow is at  \(flow.page.address)")
        if let code = flow.code {
            Self.output.line("service simulated at \(flow.service), verification code \(code)")
        } else {
            Self.output.line("service \(flow.service)")
        }
        Self.output.line("Ctrl-C ends it.")
    }
}
