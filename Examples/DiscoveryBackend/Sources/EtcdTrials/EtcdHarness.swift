import Conformance
public import EtcdDiscovery
import HTTPTypes
public import ServiceBrowserConformance
public import ServiceClient
public import Services
import Synchronization
public import Transport

/// The browser on a registry, wherever that is.
public struct EtcdHarness: ServiceBrowserHarness {
    /// All: whoever writes in the registry can make everything happen.
    public let capabilities: Set<ServiceBrowserCapability> = Set(ServiceBrowserCapability.allCases)
    private let http: any HTTPClient
    private let registry: ServiceAddress
    private let requests: CountedRequests

    /// Makes a harness of its parts; nothing is sent.
    ///
    /// - Parameters:
    ///   - http: Reaches the registry.
    ///   - registry: Where its gateway is.
    public init(_ http: any HTTPClient, at registry: ServiceAddress) {
        (self.http, self.registry, requests) = (http, registry, CountedRequests(http))
    }

    /// A browser whose requests are counted.
    public func makeBrowser() -> EtcdBrowser { EtcdBrowser(requests, at: registry) }

    /// Writes a service.
    public func publish(_ offer: ServiceOffer, near browser: EtcdBrowser) async throws -> EtcdRegistration {
        try await EtcdRegistration(http, at: registry, offer, address: "192.0.2.1")
    }

    /// Removes an entry.
    public func withdraw(_ service: EtcdRegistration) async throws { try await service.withdraw() }
    /// Renews an entry no longer.
    public func crash(_ service: EtcdRegistration) { service.crash() }
    /// Gives an entry another address.
    public func move(_ service: EtcdRegistration) async throws { try await service.move(to: "2001:db8::2") }
    /// Replaces the attributes of an entry.
    public func change(_ service: EtcdRegistration, to attributes: ServiceAttributes) async throws {
        try await service.change(to: attributes)
    }
    /// The requests of a browser.
    public func sentCount(of browser: EtcdBrowser) -> Int { requests.count.withLock { $0 } }
}

/// Counts the requests of the browser.
private final class CountedRequests: HTTPClient {
    let count = Mutex(0)
    private let base: any HTTPClient

    init(_ base: any HTTPClient) { self.base = base }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        count.withLock { $0 += 1 }
        return try await base.send(request, body: body, limits: limits)
    }
}
