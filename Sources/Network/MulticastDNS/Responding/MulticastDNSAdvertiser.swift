import Concurrency
public import Services
public import Transport

/// Makes services known on the local network with multicast DNS (RFC 6762, RFC 6763), over any datagram network: this machine's or a simulated one.
///
/// Names are claimed on each interface before they are used; where another service has one, a number is added: `Kitchen (2)`. Each service has
/// sockets of its own on port 5353, which it shares with other programs, such as the system's own responder.
public final class MulticastDNSAdvertiser: ServiceAdvertiser {
    private let network: any DatagramNetwork
    private let hostName: String
    private let monitor: any NetworkMonitor
    private let settings: LinkSettings

    /// Creates an advertiser.
    ///
    /// - Parameters:
    ///   - network: Where services are advertised.
    ///   - hostName: What this host is called below `local`; characters other than letters, digits and hyphens are left out. It gets a number
    ///     where another host has the name, and should not be that of a responder of the system on the same host.
    ///   - monitor: Says when the network is back, which is a reason to claim names again.
    ///   - settings: Which interfaces are used.
    public init(
        on network: any DatagramNetwork,
        hostName: String,
        monitor: any NetworkMonitor = UnwatchedNetwork(),
        settings: LinkSettings = LinkSettings()
    ) {
        (self.network, self.hostName) = (network, hostName)
        (self.monitor, self.settings) = (monitor, settings)
    }

    /// Begins to advertise a service.
    public func advertise(_ service: ServiceOffer) throws(DiscoveryError) -> any ServiceAdvertisement {
        guard (1...65_535).contains(service.port) else {
            throw .invalid(detail: "a port is 1…65535, not \(service.port)")
        }
        guard !service.name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw .invalid(detail: "its name has control characters")
        }
        try Self.check(service.attributes)
        guard let responder = Responder(service, host: hostName) else {
            throw .invalid(
                detail:
                    "its name has \(service.name.utf8.count) bytes, and a name has 1…\(DomainName.mostLabelBytes)"
            )
        }
        return MulticastDNSAdvertisement(responder, on: network, monitor, settings)
    }

    static func check(_ attributes: ServiceAttributes) throws(DiscoveryError) {
        if let entry = attributes.entries.first(where: { $0.byteCount > ServiceAttributes.mostEntryBytes }) {
            throw .invalid(
                detail: "“\(entry.key)” and its value have \(entry.byteCount) bytes, "
                    + "and at most \(ServiceAttributes.mostEntryBytes) can be said"
            )
        }
        guard attributes.byteCount <= ServiceAttributes.mostBytes else {
            throw .invalid(
                detail:
                    "its attributes have \(attributes.byteCount) bytes, and at most \(ServiceAttributes.mostBytes) fit"
            )
        }
    }
}

/// A service that is being advertised over a datagram network.
private final class MulticastDNSAdvertisement: ServiceAdvertisement {
    private let driver: LinkDriver<Responder>
    private let current: CurrentValue<AdvertisementState>
    private let task: Task<Void, Never>

    init(
        _ responder: Responder,
        on network: any DatagramNetwork,
        _ monitor: any NetworkMonitor,
        _ settings: LinkSettings
    ) {
        let current = CurrentValue(AdvertisementState.pending(nil))
        let driver = LinkDriver(responder, on: network, monitor: monitor, settings) { state in
            if state != current.value { current.set(state) }
        }
        task = Task { await driver.run() }
        (self.driver, self.current) = (driver, current)
    }

    deinit { task.cancel() }

    var state: AdvertisementState { current.value }

    func states() -> AsyncStream<AdvertisementState> {
        // Ends with the state after which there is none.
        let states = current.values()
        let (stream, reader) = AsyncStream.makeStream(
            of: AdvertisementState.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        let forwarding = Task {
            for await state in states {
                reader.yield(state)
                if state == .withdrawn { break }
            }
            reader.finish()
        }
        reader.onTermination = { _ in forwarding.cancel() }
        return stream
    }

    func setAttributes(_ attributes: ServiceAttributes) throws(DiscoveryError) {
        try MulticastDNSAdvertiser.check(attributes)
        driver.change { $0.setAttributes(attributes, at: $1) }
    }

    func withdraw() async {
        driver.change { responder, _ in responder.withdraw() }
        driver.end()
        await task.value
    }
}
