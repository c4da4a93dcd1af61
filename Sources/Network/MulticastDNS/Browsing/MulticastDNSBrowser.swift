import Concurrency
public import Services
import Synchronization
public import Transport

/// Finds services of the local network with multicast DNS (RFC 6762, RFC 6763), over any datagram network: this machine's or a simulated one.
///
/// Each browse has sockets of its own on port 5353, which it shares with other programs, such as the system's own responder. It asks at once, then
/// after 1, 2, 4 … seconds, at most an hour; new services are heard of as soon as they announce themselves.
///
/// What others send is bounded wherever it is kept: 256 instances and half a megabyte for each browse and interface. Messages count only from
/// the interface's own networks; addresses that no other host can have are left out.
public final class MulticastDNSBrowser: ServiceBrowser {
    private struct Browses {
        var next = 0
        var drivers: [Int: (type: ServiceType, driver: LinkDriver<Querier>)] = [:]
    }

    private let network: any DatagramNetwork
    private let monitor: any NetworkMonitor
    private let settings: LinkSettings
    private let browses = Mutex(Browses())

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - network: Where it looks.
    ///   - monitor: Says when the network is back, which is a reason to ask again at once.
    ///   - settings: Which interfaces it uses.
    public init(
        on network: any DatagramNetwork,
        monitor: any NetworkMonitor = UnwatchedNetwork(),
        settings: LinkSettings = LinkSettings()
    ) {
        (self.network, self.monitor, self.settings) = (network, monitor, settings)
    }

    /// Browses until the reader's task ends.
    public func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        reader.yield(ServiceListing())
        let driver = LinkDriver(Querier(type), on: network, monitor: monitor, settings) { reader.yield($0) }
        let number = browses.withLock { browses in
            browses.next += 1
            browses.drivers[browses.next] = (type, driver)
            return browses.next
        }
        let task = Task {
            await driver.run()
            reader.finish()
        }
        reader.onTermination = { [weak self] _ in
            task.cancel()
            _ = self?.browses.withLock { $0.drivers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Asks for a service again, in all browses of its type.
    public func reconfirm(_ service: DiscoveredService) async {
        let drivers = browses.withLock { browses in
            browses.drivers.sorted { $0.key < $1.key }.map(\.value).filter { $0.type == service.type }
        }
        for (_, driver) in drivers { driver.change { $0.reconfirm(service.name, at: $1) } }
    }
}
