internal import CNetlink
internal import Dispatch
public import Services
internal import Synchronization

/// The network of this machine, as the kernel's tables of links and routes have it (rtnetlink(7)).
///
/// There is a network when a default route, of IPv4 or IPv6, leads through a link that is up, carries traffic and is not the
/// loopback. A network without a default route counts as none, and a captive portal as one.
///
/// The kernel reports changes; each is followed by reading both tables again, so that a report that was lost does no harm.
/// Needs no privileges. It watches the network namespace of the thread that creates it, until it is released; then its streams end.
public final class LinuxNetworkMonitor: NetworkMonitor {
    private let reports: NetworkReports
    // Invariant: assigned once, in the initializer; sources are thread-safe.
    nonisolated(unsafe) private let changeSource: any DispatchSourceRead

    /// Reads the tables and begins to watch them.
    ///
    /// - Throws: `LinuxNetworkError` where the kernel does not let this process read them.
    public init() throws(LinuxNetworkError) {
        // Watched before they are read: what changes meanwhile is reported.
        let groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)
        let changes = try NetlinkSocket(groups: groups)
        var tables: NetlinkSocket
        let reports: NetworkReports
        do throws(LinuxNetworkError) {
            tables = try NetlinkSocket(groups: 0)
        } catch {
            changes.close()
            throw error
        }
        do throws(LinuxNetworkError) {
            reports = NetworkReports(isConnected: try tables.linkTable().isConnected)
        } catch {
            changes.close()
            tables.close()
            throw error
        }
        self.reports = reports
        let queue = DispatchQueue(label: "lenssim.network-monitor")
        let source = DispatchSource.makeReadSource(fileDescriptor: changes.descriptor, queue: queue)
        let asking = Mutex(tables)
        source.setEventHandler {
            changes.drain()
            // Where the tables cannot be read now, what was reported last stands until the next change.
            guard let table = try? asking.withLock({ try $0.linkTable() }) else { return }
            reports.report(isConnected: table.isConnected)
        }
        source.setCancelHandler {
            changes.close()
            asking.withLock { $0.close() }
            reports.end()
        }
        source.activate()
        unsafe changeSource = source
    }

    deinit { unsafe changeSource.cancel() }

    /// Whether there is a network.
    public var isConnected: Bool { reports.isConnected }

    /// The present state, then each change.
    public func changes() -> AsyncStream<Bool> { reports.changes() }
}
