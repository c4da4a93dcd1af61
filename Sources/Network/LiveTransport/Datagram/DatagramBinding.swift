import Glibc
import NIOCore
import NIOPosix
import Transport

import struct Transport.SocketAddress

/// Binds datagram sockets of the operating system.
struct DatagramBinding {
    /// Datagrams that are read at once, each with room for the largest.
    ///
    /// The buffer of one read is used again for the next, and the system gives memory only to the pages that are written.
    private static let readCount = 32

    let address: SocketAddress
    let options: DatagramOptions
    private let operation = "bind datagram socket"

    init(_ address: SocketAddress, _ options: DatagramOptions) {
        self.address = address
        self.options = options
    }

    /// Binds, with all options in force before the first datagram is read.
    ///
    /// - Parameter isAllowed: Whether the socket may be bound at an endpoint.
    func bind(
        on group: any EventLoopGroup,
        _ isAllowed: (Endpoint) -> Bool = { _ in true }
    ) async throws(TransportError) -> LiveDatagramSocket {
        let cancelled = TransportError(.cancelled, operation: operation, peer: "\(address)")
        if Task.isCancelled { throw cancelled }
        let local = try await NIOCore.SocketAddress.resolve(address, operation: operation)
        guard let endpoint = Endpoint(local) else { throw unavailable("not an IP address") }
        guard isAllowed(endpoint) else {
            throw unavailable("not an address of this machine alone; allow remote ones explicitly")
        }
        let interface = try interfaceIndex()
        let inbox = DatagramInbox(local: endpoint)
        let channel = try await open(local, endpoint.address.version, interface, inbox, on: group)
        if Task.isCancelled {
            channel.close(promise: nil)
            throw cancelled
        }
        let sender = try? await channel.eventLoop.submit { DatagramSender(of: channel) }.get()
        channel.closeFuture.whenComplete { _ in sender?.close() }
        return LiveDatagramSocket(
            channel: channel,
            sender: sender,
            localAddress: channel.localAddress.flatMap { Endpoint($0) } ?? endpoint,
            inbox: inbox,
            multicastInterface: interface
        )
    }

    private func open(
        _ local: NIOCore.SocketAddress,
        _ version: IPAddress.Version,
        _ interface: Int?,
        _ inbox: DatagramInbox,
        on group: any EventLoopGroup
    ) async throws(TransportError) -> any Channel {
        let bound = Reply<any Channel>()
        let name = "\(address)"
        var bootstrap = DatagramBootstrap(group: group)
            .channelOption(.socketOption(.so_reuseaddr), value: options.sharesPort ? 1 : 0)
            .channelOption(.socketOption(.so_broadcast), value: options.allowsBroadcast ? 1 : 0)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.datagramVectorReadMessageCount, value: Self.readCount)
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: Self.readCount * 65_536)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(inbox: inbox, local: name))
                }
            }
        if let bytes = options.receiveBufferBytes {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(bytes))
        }
        bootstrap.bind(to: local)
            .flatMap { channel in
                configure(channel, version, interface).map { channel }.flatMapError { error in
                    channel.close(promise: nil)
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }
            .whenComplete { result in
                bound.settle(
                    result.mapError { error in
                        var error = TransportError(cause: error, operation: operation, peer: name)
                        error.code = .addressUnavailable
                        return error
                    }
                )
            }
        return try await bound.uncancellableResult().get()
    }

    /// Sets what NIO can set only when the socket is bound.
    private func configure(
        _ channel: any Channel,
        _ version: IPAddress.Version,
        _ interface: Int?
    ) -> EventLoopFuture<Void> {
        guard let socket = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        var steps = [channel.setOption(.receivePacketInfo, value: true)]
        func set(_ v4: CInt, _ v6: CInt, _ value: CInt) {
            let level: SocketOptionLevel = version == .v4 ? .init(IPPROTO_IP) : .init(IPPROTO_IPV6)
            let name = SocketOptionName(version == .v4 ? v4 : v6)
            steps.append(socket.unsafeSetSocketOption(level: level, name: name, value: value))
        }
        // Without this a socket gets what others on the host have joined, and leaving a group has no effect (ip(7)).
        set(IP_MULTICAST_ALL, IPV6_MULTICAST_ALL, 0)
        if let hops = options.timeToLive {
            set(IP_TTL, IPV6_UNICAST_HOPS, CInt(hops))
            set(IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, CInt(hops))
        }
        if let interface, version == .v4 {
            let request = IPv4Membership(group: 0, address: 0, interface: CInt(interface))
            steps.append(
                socket.unsafeSetSocketOption(level: .ip, name: .ip_multicast_if, value: request)
            )
        } else if let interface {
            set(IP_MULTICAST_IF, IPV6_MULTICAST_IF, CInt(interface))
        }
        return EventLoopFuture.andAllSucceed(steps, on: channel.eventLoop)
    }

    private func interfaceIndex() throws(TransportError) -> Int? {
        guard let name = options.multicastInterface else { return nil }
        guard let index = InterfaceNames.index(of: name) else {
            throw unavailable("no interface is called \(name)")
        }
        return index
    }

    private func unavailable(_ detail: String) -> TransportError {
        TransportError(.addressUnavailable, operation: operation, peer: "\(address)", detail: detail)
    }
}

/// The system's `ip_mreqn`: group and address in network order, and the number of the interface (ip(7)).
struct IPv4Membership: Sendable {
    let group: UInt32
    let address: UInt32
    let interface: CInt
}

/// The system's `ipv6_mreq`: sixteen bytes of the group, and the number of the interface (ipv6(7)).
struct IPv6Membership: Sendable {
    let group: (UInt32, UInt32, UInt32, UInt32)
    let interface: CInt
}
