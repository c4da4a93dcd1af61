import NIOCore
import NIOPosix
import Transport

/// A datagram socket of the operating system.
final class LiveDatagramSocket: DatagramSocket {
    /// The most payload of one datagram over IPv4: 65,535 less 20 for IP (RFC 791) and 8 for UDP (RFC 768).
    private static let largestPayload = 65_507

    let localAddress: Endpoint
    private let channel: any Channel
    private let inbox: Inbox<ReceivedDatagram, TransportError>
    private let multicastDevice: NIONetworkDevice?

    init(
        channel: any Channel,
        localAddress: Endpoint,
        inbox: Inbox<ReceivedDatagram, TransportError>,
        multicastDevice: NIONetworkDevice?
    ) {
        self.channel = channel
        self.localAddress = localAddress
        self.inbox = inbox
        self.multicastDevice = multicastDevice
    }

    deinit {
        // Nobody can use the socket any more.
        channel.close(promise: nil)
    }

    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        let operation = "send datagram"
        guard bytes.count <= Self.largestPayload else {
            let detail = "\(bytes.count) bytes, at most \(Self.largestPayload) fit"
            throw TransportError(.tooLarge, operation: operation, peer: "\(destination)", detail: detail)
        }
        let address = try await NIOCore.SocketAddress.resolve(destination, operation: operation)
        let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: bytes))
        try await outcome(of: channel.writeAndFlush(envelope), operation, "\(destination)")
    }

    func receive() async throws(TransportError) -> (bytes: [UInt8], source: Endpoint) {
        switch await inbox.take() {
        case .element(let datagram): (datagram.bytes, datagram.source)
        case .end(let error): throw error
        case .cancelled:
            throw TransportError(.cancelled, operation: "receive datagram", peer: "\(localAddress)")
        }
    }

    func join(group: String) async throws(TransportError) {
        let operation = "join multicast group"
        guard let address = try? NIOCore.SocketAddress(ipAddress: group, port: 0), address.isMulticast,
            let multicast = channel as? any MulticastChannel
        else {
            throw TransportError(
                .addressUnavailable,
                operation: operation,
                peer: group,
                detail: "not a multicast address"
            )
        }
        // NIO refuses interfaces that do not call themselves fit for multicast, among them Linux's loopback, which is.
        if let number = address.ipv4Number, let interface = multicastDevice?.address?.ipv4Number,
            let options = channel as? any SocketOptionProvider
        {
            let membership = IPv4Membership(group: number, interface: interface)
            let joined = options.unsafeSetSocketOption(
                level: .ip,
                name: .ip_add_membership,
                value: membership
            )
            try await outcome(of: joined, operation, group)
        } else {
            try await outcome(of: multicast.joinGroup(address, device: multicastDevice), operation, group)
        }
    }

    func close() async {
        channel.close(promise: nil)
        let closed = Reply<Void>()
        channel.closeFuture.whenComplete { _ in closed.settle(.success(())) }
        _ = await closed.uncancellableResult()
    }

    private func outcome(
        of future: EventLoopFuture<Void>,
        _ operation: String,
        _ peer: String
    ) async throws(TransportError) {
        let reply = Reply<Void>()
        future.whenComplete { result in
            reply.settle(result.mapError { TransportError(cause: $0, operation: operation, peer: peer) })
        }
        try await reply.value(orWhenCancelled: TransportError(.cancelled, operation: operation, peer: peer))
    }
}

/// The system's `ip_mreq`: group and interface, in network order (ip(7)).
private struct IPv4Membership: Sendable {
    let group: UInt32
    let interface: UInt32
}
