import CNetlink
import Glibc

/// A socket of the kernel's routing tables.
///
/// Used by one thread at a time. Closed by its owner.
struct NetlinkSocket {
    let descriptor: Int32
    /// Numbers the questions, so that the rest of an answer that was given up is not taken for a later one.
    private var question: UInt32 = 0

    /// As large as the kernel makes the datagrams of an answer (`NLMSG_GOODSIZE` and what `netlink(7)` advises: 32 KiB).
    private static let datagramSize = 32_768

    /// How often tables that change while they are read are read again.
    private static let mostReadings = 16

    /// How long the kernel may take for a part of an answer, in seconds.
    private static let patience = 5

    /// - Parameter groups: The changes that it reports (`RTMGRP_…`); 0 for a socket that asks.
    init(groups: UInt32) throws(LinuxNetworkError) {
        let isAsking = groups == 0
        let type =
            Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue) | (isAsking ? 0 : Int32(SOCK_NONBLOCK.rawValue))
        descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE)
        guard descriptor >= 0 else { throw LinuxNetworkError(operation: "open a socket", number: errno) }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &limit,
            socklen_t(MemoryLayout<timeval>.size)
        )
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        let bound = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard bound == 0 else {
            let number = errno
            close()
            throw LinuxNetworkError(operation: "bind the socket", number: number)
        }
    }

    func close() { _ = Glibc.close(descriptor) }

    /// Throws away the reports that wait, and the error that says that some were lost.
    func drain() {
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.datagramSize, alignment: 8) { buffer in
            while unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0) >= 0 || errno == ENOBUFS
                || errno == EINTR
            {}
        }
    }

    /// Reads all links and all routes.
    mutating func linkTable() throws(LinuxNetworkError) -> LinkTable {
        for _ in 1...Self.mostReadings {
            var table = LinkTable()
            for kind in [RTM_GETLINK, RTM_GETROUTE] { try read(UInt16(kind), into: &table) }
            if !table.isTorn { return table }
        }
        throw LinuxNetworkError(operation: "read tables that change all the time", number: EAGAIN)
    }

    private mutating func read(_ kind: UInt16, into table: inout LinkTable) throws(LinuxNetworkError) {
        struct Request: BitwiseCopyable {
            var header = nlmsghdr()
            /// Any family: `struct rtgenmsg`, with what `struct ifinfomsg` and `struct rtmsg` have beyond it.
            var body: (UInt64, UInt64) = (0, 0)
        }
        var request = Request()
        request.header.nlmsg_len = UInt32(MemoryLayout<Request>.size)
        request.header.nlmsg_type = kind
        request.header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH)
        question &+= 1
        request.header.nlmsg_seq = question
        let sent = unsafe withUnsafeBytes(of: request) { bytes in
            unsafe send(descriptor, bytes.baseAddress, bytes.count, 0)
        }
        guard sent >= 0 else { throw LinuxNetworkError(operation: "ask", number: errno) }
        var reading = LinkTable.Reading.more
        var failure: Int32 = 0
        unsafe withUnsafeTemporaryAllocation(byteCount: Self.datagramSize, alignment: 8) { buffer in
            while reading != .done, failure == 0 {
                let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
                guard count > 0 else {
                    if count == 0 || errno != EINTR { failure = count == 0 ? EPROTO : errno }
                    continue
                }
                reading = unsafe table.read(buffer.bytes.extracting(first: count), answering: question)
                if case .refused(let number) = reading { failure = number }
            }
        }
        guard failure == 0 else { throw LinuxNetworkError(operation: "read the tables", number: failure) }
    }
}
