import NIOCore
import NIOPosix
public import Transport

public import struct Transport.SocketAddress

extension LiveTransport {
    /// mDNS shares its port between all responders of a host (RFC 6762 section 15.1).
    private static let multicastDNSPort = 5353
    /// Received bytes that are kept for a slow reader.
    private static let bufferedBytes = 8 * 1024 * 1024

    /// Binds a datagram socket; see `Transport.DatagramNetwork`.
    ///
    /// The port is shared with other sockets only for mDNS, or when a multicast group is bound.
    public func bind(_ address: SocketAddress) async throws(TransportError) -> any DatagramSocket {
        let operation = "bind datagram socket"
        let cancelled = TransportError(.cancelled, operation: operation, peer: "\(address)")
        if Task.isCancelled { throw cancelled }
        if channels.isClosed {
            throw TransportError(.closed, operation: operation, peer: "\(address)", detail: "shut down")
        }
        let local = try await NIOCore.SocketAddress.resolve(address, operation: operation)
        let device = try multicastDevice(for: local)
        let inbox = Inbox<ReceivedDatagram, TransportError>(
            countLimit: configuration.bufferedDatagrams,
            weightLimit: Self.bufferedBytes
        )
        let shared = address.port == Self.multicastDNSPort || local.isMulticast
        let bound = Reply<any Channel>()
        DatagramBootstrap(group: group)
            .channelOption(.socketOption(.so_reuseaddr), value: shared ? 1 : 0)
            // NIO's default of 2,048 bytes would cut larger datagrams.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        DatagramHandler(inbox: inbox, local: address)
                    )
                }
            }
            .bind(to: local)
            .flatMap { channel in Self.sendMulticast(of: channel, through: device).map { channel } }
            .whenComplete { result in
                bound.settle(
                    result.mapError { error in
                        var error = TransportError(cause: error, operation: operation, peer: "\(address)")
                        error.code = .addressUnavailable
                        return error
                    }
                )
            }
        let channel = try await bound.uncancellableResult().get()
        channels.insert(channel)
        if Task.isCancelled {
            channel.close(promise: nil)
            throw cancelled
        }
        return LiveDatagramSocket(
            channel: channel,
            localAddress: channel.localAddress?.endpoint ?? address,
            inbox: inbox,
            multicastDevice: device
        )
    }

    /// The configured interface, with an address of the same family as the socket's.
    private func multicastDevice(
        for local: NIOCore.SocketAddress
    ) throws(TransportError) -> NIONetworkDevice? {
        guard let name = configuration.multicastInterface else { return nil }
        let devices = (try? System.enumerateDevices()) ?? []
        let device = devices.first { $0.name == name && $0.address?.protocol == local.protocol }
        guard let device else {
            throw TransportError(
                .addressUnavailable,
                operation: "find multicast interface",
                peer: name,
                detail: "no interface of this name has an address of the socket's family"
            )
        }
        return device
    }

    private static func sendMulticast(
        of channel: any Channel,
        through device: NIONetworkDevice?
    ) -> EventLoopFuture<Void> {
        let done = channel.eventLoop.makeSucceededVoidFuture()
        guard let device, let address = device.address else { return done }
        switch address {
        case .v4:
            // IP_MULTICAST_IF takes the interface's address (ip(7)).
            let number = Int32(bitPattern: address.ipv4Number ?? 0)
            return channel.setOption(.ipOption(.ip_multicast_if), value: .init(number))
        case .v6:
            guard let options = channel as? any SocketOptionProvider else { return done }
            return options.setIPv6MulticastIF(CUnsignedInt(device.interfaceIndex))
        case .unixDomainSocket: return done
        }
    }
}
