/// Finds services on the local network, and notices when they change or go.
///
/// `Documentation/DiscoveryBackend.md` says what one has to do, and the suite `ServiceBrowserConformance` checks it.
public protocol ServiceBrowser: Sendable {
    /// Browses for services of a type: gives what is known at first, which may be nothing, then all that is known after each change.
    ///
    /// Browsing goes on while the network comes and goes, and ends with the reader's task, or when the stream is released; it can
    /// begin again at any time, also several times at once. A reader that is behind misses old listings, never the newest. A service that
    /// is renewed is listed again with its new ``DiscoveredService/expires``.
    func listings(of type: ServiceType) -> AsyncStream<ServiceListing>

    /// Asks whether a service is still there, after a connection to it has failed.
    ///
    /// A service that has crashed says nothing, and would stay listed for up to two minutes. This returns at once; the browses that list the
    /// service ask the network, and drop it when nobody has answered within 10 s (RFC 6762 section 10.4). For a service that is not listed
    /// nothing happens.
    func reconfirm(_ service: DiscoveredService) async
}
