import Glibc
import NIOCore
import NIOPosix
import Synchronization
import Transport

import struct Transport.SocketAddress

/// A datagram socket of the operating system.
final class LiveDatagramSocket: DatagramSocket {
    private struct Membership: Hashable {
        var group: IPAddress
        var interface: Int
    }

    let localAddress: Endpoint
    let channel: any Channel
    let inbox: DatagramInbox
    private let sender: DatagramSender?
    /// Number 0 leaves the choice to the system.
    private let multicastInterface: Int
    private let memberships = Mutex<Set<Membership>>([])

    init(
        channel: any Channel,
        sender: DatagramSender?,
        localAddress: Endpoint,
        inbox: DatagramInbox,
        multicastInterface: Int?
    ) {
        self.channel = channel
        self.sender = sender
        self.localAddress = localAddress
        self.inbox = inbox
        self.multicastInterface = multicastInterface ?? 0
    }

    deinit {
        // Nobody can use the socket any more.
        channel.close(promise: nil)
    }

    // MARK: Sending

    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError) {
        let operation = "send datagram"
        func failure(_ code: TransportError.Code, _ detail: String) -> TransportError {
            TransportError(code, operation: operation, peer: "\(destination)", detail: detail)
        }
        guard bytes.count <= Datagram.mostBytes else {
            throw failure(.tooLarge, "\(bytes.count) bytes, at most \(Datagram.mostBytes) fit")
        }
        let target = Endpoint(destination.address.unmapped, port: destination.port)
        let version = localAddress.address.version
        guard version == .v6 || target.address.version == .v4 else {
            throw failure(.unreachable, "an IPv4 socket sends to IPv4 addresses")
        }
        guard (1...65_535).contains(target.port) else { throw failure(.unreachable, "a port is 1…65535") }
        if Task.isCancelled { throw failure(.cancelled, "") }
        let address = target.system(for: version)
        switch sender?.send(bytes, to: address) {
        case .sent: return
        case .failed(let error):
            throw TransportError(cause: error, operation: operation, peer: "\(destination)")
        case .busy, nil: break
        }
        let envelope = AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: bytes))
        try await outcome(of: channel.writeAndFlush(envelope), operation) { "\(destination)" }
    }

    func send(
        _ bytes: [UInt8],
        to destination: SocketAddress
    ) async throws(TransportError) {
        if let endpoint = destination.endpoint { return try await send(bytes, to: endpoint) }
        let found = try await destination.resolved()
        guard let endpoint = found.destination(of: localAddress.address.version) else {
            throw TransportError(
                .unreachable,
                operation: "send datagram",
                peer: "\(destination)",
                detail: "the name has no address"
            )
        }
        try await send(bytes, to: endpoint)
    }

    // MARK: Receiving

    func receive(atMost count: Int) async throws(TransportError) -> [Datagram] {
        precondition(count > 0, "at least one datagram is received")
        return try await inbox.take(count) { [channel] in channel.read() }
    }

    // MARK: Groups

    func join(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        let operation = "join multicast group"
        let membership = try membership(group, interface, operation)
        guard memberships.withLock({ $0.insert(membership).inserted }) else { return }
        do throws(TransportError) {
            try await set(membership, .ip_add_membership, .ipv6_join_group, operation)
        } catch {
            _ = memberships.withLock { $0.remove(membership) }
            throw error
        }
    }

    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError) {
        let operation = "leave multicast group"
        let membership = try membership(group, interface, operation)
        guard memberships.withLock({ $0.remove(membership) }) != nil else {
            if !channel.isActive {
                throw TransportError(.closed, operation: operation, peer: "\(group)")
            }
            throw TransportError(
                .addressUnavailable,
                operation: operation,
                peer: "\(group)",
                detail: "it was not joined"
            )
        }
        try await set(membership, .ip_drop_membership, .ipv6_leave_group, operation)
    }

    private func membership(
        _ group: IPAddress,
        _ interface: String?,
        _ operation: String
    ) throws(TransportError) -> Membership {
        func unavailable(_ detail: String) -> TransportError {
            TransportError(.addressUnavailable, operation: operation, peer: "\(group)", detail: detail)
        }
        guard group.isMulticast else { throw unavailable("not a multicast address") }
        guard let name = interface ?? group.zone else {
            return Membership(group: group.inZone(nil), interface: multicastInterface)
        }
        guard let index = InterfaceNames.index(of: name) else {
            throw unavailable("no interface is called \(name)")
        }
        return Membership(group: group.inZone(nil), interface: index)
    }

    /// NIO's own way refuses interfaces that do not call themselves fit for multicast, among them Linux's loopback, which is.
    private func set(
        _ membership: Membership,
        _ v4: NIOBSDSocket.Option,
        _ v6: NIOBSDSocket.Option,
        _ operation: String
    ) async throws(TransportError) {
        guard let socket = channel as? any SocketOptionProvider else { return }
        let interface = CInt(membership.interface)
        let done =
            switch membership.group.version {
            case .v4:
                socket.unsafeSetSocketOption(
                    level: .ip,
                    name: v4,
                    value: IPv4Membership(
                        group: UInt32(truncatingIfNeeded: membership.group.bits).bigEndian,
                        address: 0,
                        interface: interface
                    )
                )
            case .v6:
                socket.unsafeSetSocketOption(
                    level: .ipv6,
                    name: v6,
                    value: IPv6Membership(group: membership.group.words, interface: interface)
                )
            }
        try await outcome(of: done, operation) { "\(membership.group)" }
    }

    // MARK: The end

    func close() async {
        sender?.close()
        channel.close(promise: nil)
        let closed = Reply<Void>()
        channel.closeFuture.whenComplete { _ in closed.settle(.success(())) }
        _ = await closed.uncancellableResult()
    }

    private func outcome(
        of future: EventLoopFuture<Void>,
        _ operation: String,
        _ peer: @escaping @Sendable () -> String
    ) async throws(TransportError) {
        let reply = Reply<Void>()
        future.whenComplete { result in
            reply.settle(result.mapError { TransportError(cause: $0, operation: operation, peer: peer()) })
        }
        try await reply.value(
            orWhenCancelled: TransportError(.cancelled, operation: operation, peer: peer())
        )
    }
}
