import ArgumentParser
import CommandKit
import Concurrency
import Foundation
import LiveTransport
import MulticastDNS
import Services
import Transport

/// A hub that others find on the local network, by multicast DNS.
struct AnnouncedHub: Sendable {
    /// The kind of service that a hub offers.
    private static let type = "_argusai._tcp"
    /// How long it may take until the name is the hub's own.
    private static let patience: Duration = .seconds(20)

    /// Under which it was published: with a number where another service has the name.
    let name: String
    private let advertisement: any ServiceAdvertisement
    private let transport: LiveTransport

    /// Makes a hub known, and returns when it is published.
    ///
    /// - Parameters:
    ///   - id: What the hub calls itself.
    ///   - url: Where it listens, of which the scheme is said.
    ///   - address: The same, of which the port is said.
    ///   - interfaces: Those to use; none for all but loopback.
    /// - Throws: `ValidationError` where others would find what they cannot reach, ``DiscoveryError``, ``NotAnnounced``.
    static func start(
        _ name: String,
        id: String,
        url: String,
        at address: SocketAddress,
        on interfaces: [String]
    ) async throws -> AnnouncedHub {
        let isLocal = address.host.hasPrefix("127.") || ["::1", "localhost"].contains(address.host)
        if isLocal, interfaces.isEmpty {
            throw ValidationError(
                "Others would find a hub that only this machine reaches: add --allow-remote and --host 0.0.0.0, or --interface lo."
            )
        }
        guard let type = ServiceType(type) else { preconditionFailure("this is a type") }
        let transport = try LiveTransport()
        let own = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? "host"
        let advertiser = MulticastDNSAdvertiser(
            on: transport,
            // The system's own responder may have the plain name.
            hostName: "\(own)-\(String(UInt16.random(in: 0x1000 ... .max), radix: 16))",
            settings: LinkSettings(interfaces: interfaces.isEmpty ? nil : Set(interfaces))
        )
        do {
            let attributes: ServiceAttributes = [
                "txtvers": "1", "version": "1.0.0", "api_port": "\(address.port)",
                "ssl": "\(url.hasPrefix("https:"))", "id": id,
            ]
            let advertisement = try advertiser.advertise(
                ServiceOffer(name: name, type: type, port: address.port, attributes: attributes)
            )
            let published = await withDeadline(patience) { () async -> String? in
                for await state in advertisement.states() {
                    if case .published(let name) = state { return name }
                }
                return nil
            }
            guard let name = published ?? nil else {
                if case .pending(let trouble?) = advertisement.state { throw trouble }
                throw NotAnnounced()
            }
            return AnnouncedHub(name: name, advertisement: advertisement, transport: transport)
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// Withdraws it: others learn that it is gone.
    func stop() async {
        await advertisement.withdraw()
        await transport.shutdown()
    }
}

/// Why a hub was not made known.
struct NotAnnounced: Error, ExitCoded, CustomStringConvertible {
    let description = "the hub could not be published on the local network in time"
    let exitCode = Exit.unavailable
}
