import ArgumentParser
import CommandKit
import Foundation
import LiveTransport
import MulticastDNS
import Services

/// The command `lenssim browse`.
struct BrowseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "browse",
        abstract: "Finds services on the local network, until Ctrl-C.",
        usage: "lenssim browse <type> [<options>]",
        discussion: HelpText.filled(
            """
            Asks with multicast DNS, beside the system's own responder if there is one, and prints each service that comes, changes or \
            goes. With --json each line is one object.

            Examples:
              lenssim browse _http._tcp                       web servers of the local network
              lenssim browse _ipp._tcp --seconds 3 --json     printers, for a script
              lenssim browse _http._tcp --interface eth0      on one interface alone

            Exit codes: 66 where nothing was found within --seconds, 69 where no interface is up or the port of multicast DNS cannot be used.
            """
        )
    )

    @Argument(help: "The type, such as _http._tcp.", transform: LinkArguments.type)
    var type: ServiceType

    @Option(help: "How long to browse. (default: until Ctrl-C)")
    var seconds: Int?

    @Option(
        name: .customLong("interface"),
        help: "An interface to use; may be given several times. (default: all but loopback)"
    )
    var interfaces: [String] = []

    @Flag(help: "Print a JSON object in each line.")
    var json = false

    func validate() throws { try LinkArguments.check(seconds) }

    func run() async throws {
        try await reportingFailures { terminal in
            let transport = try LiveTransport()
            let stop = StopRequest()
            let browser = MulticastDNSBrowser(on: transport, settings: LinkArguments.settings(interfaces))
            let browsing = Task { await follow(browser, terminal) }
            await LinkArguments.wait(for: stop, atMost: seconds)
            browsing.cancel()
            let (found, trouble) = await browsing.value
            await transport.shutdown()
            if let trouble { throw trouble }
            if stop.isRequested { throw Exit.interrupted }
            if !found { throw Exit.inputMissing }
        }
    }

    /// Prints what changes; says whether anything was found, and why nothing could be.
    private func follow(_ browser: MulticastDNSBrowser, _ terminal: Terminal) async -> (
        found: Bool, DiscoveryError?
    ) {
        var changes = ServiceChanges()
        var found = false
        var trouble: DiscoveryError?
        for await listing in browser.listings(of: type) {
            if let new = listing.trouble, new != trouble { terminal.warn("lenssim: \(new)") }
            trouble = listing.trouble
            for change in changes.take(listing.services) {
                found = true
                terminal.line(json ? change.json : change.text)
            }
        }
        return (found, found ? nil : trouble)
    }
}
