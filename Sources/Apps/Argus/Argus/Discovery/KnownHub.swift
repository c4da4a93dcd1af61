internal import Concurrency
internal import Foundation
public import ServiceClient
public import Services
public import Transport

/// A hub whose address a person has given: it is listed as if it were found, with the ID that it says at `/health`.
///
/// While it does not answer it is not listed, so that the relay is used, and is asked again and again.
public struct KnownHub: ServiceBrowser {
    /// How long a hub that does not answer is left alone, and how long one that answers.
    private static let pause = Duration.seconds(5)
    private static let patience = Duration.seconds(60)

    private let address: ServiceAddress
    private let http: any HTTPClient
    private let wake = WakeSignal()

    /// Lists a hub.
    ///
    /// - Parameters:
    ///   - address: Where it is, as ``address(_:)`` reads it.
    ///   - http: Asks it.
    public init(at address: ServiceAddress, http: any HTTPClient) {
        (self.address, self.http) = (address, http)
    }

    /// Reads the address of a hub; `nil` for another scheme than `http`, another address than a private one, and a path.
    public static func address(_ text: String) -> ServiceAddress? {
        guard let address = ServiceAddress(text), address.scheme == "http", address.root.isEmpty,
            let (host, _) = hostAndPort(address), HubWay.isAtHome(host)
        else { return nil }
        return address
    }

    /// Whether an address is one of this machine.
    public static func isThisMachine(_ address: ServiceAddress) -> Bool {
        hostAndPort(address).map { $0.host == "::1" || $0.host.hasPrefix("127.") } ?? false
    }

    private static func hostAndPort(_ address: ServiceAddress) -> (host: String, port: Int)? {
        let authority = address.authority
        let host: Substring
        if authority.hasPrefix("[") {
            host = authority.dropFirst().prefix { $0 != "]" }
        } else {
            host = authority.prefix { $0 != ":" }
        }
        let rest = authority.dropFirst(host.count + (authority.hasPrefix("[") ? 2 : 0))
        guard let port = rest.isEmpty ? 80 : Int(rest.dropFirst()), (1...65_535).contains(port) else {
            return nil
        }
        return (host == "localhost" ? "127.0.0.1" : String(host), port)
    }

    /// Nothing at first, then the hub as long as it answers.
    public func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        reader.yield(ServiceListing())
        let task = Task {
            while !Task.isCancelled {
                let found = await ask(type)
                reader.yield(ServiceListing(services: found.map { [$0] } ?? []))
                let wait = found == nil ? Self.pause : Self.patience
                _ = await wake.wait(atMost: wait)
            }
            reader.finish()
        }
        reader.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Asks the hub at once.
    public func reconfirm(_ service: DiscoveredService) async { wake.raise() }

    private struct Health: Decodable {
        var hubID: String?

        private enum CodingKeys: String, CodingKey { case hubID = "hub_id" }
    }

    /// Asks the hub who it is, without a token.
    private func ask(_ type: ServiceType) async -> DiscoveredService? {
        let policy = CallPolicy(
            retries: .init(retries: 0, first: .zero, longest: .zero),
            limits: HTTPLimits(each: .seconds(3)),
            deadline: .seconds(5),
            answerBytes: 65_536
        )
        let client = ServiceClient(http, policy: policy) { address }
        guard let (host, port) = Self.hostAndPort(address),
            let health = try? await client.send(.get("/health"), as: Health.self)
        else { return nil }
        let id = health.hubID.map { [ServiceAttributes.Entry(key: "id", value: Array($0.utf8))] } ?? []
        return DiscoveredService(
            name: address.authority,
            type: type,
            host: host,
            attributes: ServiceAttributes(id),
            ways: [ServiceWay(interface: "", address: host, port: port)],
            expires: .now + .seconds(120)
        )
    }
}
