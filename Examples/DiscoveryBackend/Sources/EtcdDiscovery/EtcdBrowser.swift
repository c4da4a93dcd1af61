import Concurrency
public import ServiceClient
public import Services
public import Transport

/// Finds services that are written in an etcd, over its HTTP gateway: for networks that multicast does not reach.
///
/// A service is the key `PREFIX/TYPE/NAME`, such as `/services/_http._tcp/Kitchen`, and ``EtcdEntry`` its value. Keys belong to a lease that their
/// writer renews: the entry of a service that has crashed leaves with it. A browse reads all entries of a type, waits until the registry says
/// that one has changed, and reads them again; after ``period`` also without such a word, since a connection may be dead without a sign of it.
///
/// Source: etcd 3.4, `/v3/kv/range` and `/v3/watch` (etcd.io/docs/v3.4/dev-guide/api_grpc_gateway); tried on Debian's 3.4.23.
public struct EtcdBrowser: ServiceBrowser {
    /// The longest that a listing may be behind the registry.
    public static let period: Duration = .seconds(10)
    /// The wait after a failure; and after a watch that ends without a word, as one does that a proxy cuts.
    private static let pause = Duration.seconds(1)

    private let calls: EtcdCalls

    /// A browser of a registry; nothing is sent before the first browse.
    public init(_ http: any HTTPClient, at address: ServiceAddress, prefix: String = "/services") {
        calls = EtcdCalls(http, at: address, prefix: prefix)
    }

    /// What is written now, then after each change; see `ServiceBrowser`.
    public func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let task = Task {
            await browse(type) { continuation.yield($0) }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Nothing: the registry answers for its services, and is asked every ``period``.
    public func reconfirm(_ service: DiscoveredService) async {}

    private func browse(_ type: ServiceType, _ report: (ServiceListing) -> Void) async {
        var known: [DiscoveredService] = []
        report(ServiceListing())
        while !Task.isCancelled {
            do throws(ServiceFailure) {
                let entries = try await calls.entries(of: type)
                known = entries.services(of: type, until: .now + Self.period * 2)
                report(ServiceListing(services: known))
                let isChanged = try await calls.waitForChange(
                    of: type,
                    since: entries.revision,
                    atMost: Self.period
                )
                if !isChanged { try? await Task.sleep(for: Self.pause) }
            } catch {
                // What was read last still holds for a while.
                known.removeAll { $0.expires <= .now }
                report(ServiceListing(services: known, trouble: .unavailable(detail: "\(error)")))
                try? await Task.sleep(for: Self.pause)
            }
        }
    }
}
