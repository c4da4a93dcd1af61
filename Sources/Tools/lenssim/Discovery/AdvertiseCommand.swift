import ArgumentParser
import CommandKit
import Foundation
import LiveTransport
import MulticastDNS
import Services

/// The command `lenssim advertise`.
struct AdvertiseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "advertise",
        abstract: "Makes a service known on the local network, until Ctrl-C.",
        usage: "lenssim advertise <name> <type> <port> [<options>]",
        discussion: HelpText.filled(
            """
            Answers with multicast DNS, beside the system's own responder if there is one. Prints the name under which the service is \
            published, and each later one: where another service has the name, a number is added to it.

            Examples:
              lenssim advertise 'My Pages' _http._tcp 8080
              lenssim advertise Hub _http._tcp 8080 --txt id=4711 --txt path=/status
              lenssim advertise Hub _http._tcp 8080 --seconds 60 --json

            Exit codes: 65 for a name, a port or attributes that cannot be advertised, 69 where it was never published.
            """
        )
    )

    @Argument(help: "What people call the service, at most 63 bytes.")
    var name: String

    @Argument(help: "The type, such as _http._tcp.", transform: LinkArguments.type)
    var type: ServiceType

    @Argument(help: "The port on which the service listens.")
    var port: Int

    @Option(name: .customLong("txt"), help: "A key=value, or a key alone; may be given several times.")
    var attributes: [String] = []

    @Option(help: "The name of this host below local. (default: its own with four digits)")
    var host: String?

    @Option(help: "How long to advertise. (default: until Ctrl-C)")
    var seconds: Int?

    @Option(
        name: .customLong("interface"),
        help: "An interface to use; may be given several times. (default: all but loopback)"
    )
    var interfaces: [String] = []

    @Flag(help: "Print a JSON object in each line.")
    var json = false

    private struct Line: Encodable {
        var state: String
        var name: String?
    }

    func validate() throws { try LinkArguments.check(seconds) }

    func run() async throws {
        try await reportingFailures { terminal in
            let transport = try LiveTransport()
            let stop = StopRequest()
            let outcome: (wasPublished: Bool, trouble: DiscoveryError?)
            do throws(DiscoveryError) {
                let advertisement = try advertiser(on: transport).advertise(
                    ServiceOffer(name: name, type: type, port: port, attributes: ServiceAttributes(entries))
                )
                let following = Task { await follow(advertisement, terminal) }
                await LinkArguments.wait(for: stop, atMost: seconds)
                await advertisement.withdraw()
                outcome = await following.value
            } catch {
                outcome = (false, error)
            }
            await transport.shutdown()
            if let trouble = outcome.trouble, !outcome.wasPublished { throw trouble }
            if stop.isRequested { throw Exit.interrupted }
            if !outcome.wasPublished { throw Exit.unavailable }
        }
    }

    /// With the host's own name unless another is given, but not the one that the system's own responder may have.
    ///
    /// Each would take the other's addresses for a conflict.
    private func advertiser(on transport: LiveTransport) -> MulticastDNSAdvertiser {
        let own = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? "host"
        return MulticastDNSAdvertiser(
            on: transport,
            hostName: host ?? "\(own)-\(String(UInt16.random(in: 0x1000 ... .max), radix: 16))",
            settings: LinkArguments.settings(interfaces)
        )
    }

    private var entries: [ServiceAttributes.Entry] {
        attributes.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return .init(key: String(parts[0]), value: parts.count > 1 ? Array(parts[1].utf8) : nil)
        }
    }

    /// Prints how it stands, until it is withdrawn; says whether it was ever published, and why it was not.
    private func follow(
        _ advertisement: any ServiceAdvertisement,
        _ terminal: Terminal
    ) async -> (wasPublished: Bool, DiscoveryError?) {
        var wasPublished = false
        var trouble: DiscoveryError?
        for await state in advertisement.states() {
            switch state {
            case .pending(let new):
                if let new { terminal.warn("lenssim: \(new)") }
                trouble = new
            case .published(let name):
                wasPublished = true
                show("published", name, terminal)
            case .withdrawn: show("withdrawn", nil, terminal)
            }
        }
        return (wasPublished, trouble)
    }

    private func show(_ state: String, _ name: String?, _ terminal: Terminal) {
        guard json else { return terminal.line([state, name].compactMap { $0 }.joined(separator: "  ")) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let line = try? encoder.encode(Line(state: state, name: name)) else { return }
        terminal.line(String(decoding: line, as: UTF8.self))
    }
}
