import NIOCore
import Transport

/// Brings what a datagram socket receives to its inbox, one vector read at a time.
final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let inbox: DatagramInbox
    private let local: String
    private var arrived: [Datagram] = []
    /// Every datagram says the number of its interface, whose name is asked for once.
    private var interfaces: [Int: String] = [:]

    init(inbox: DatagramInbox, local: String) {
        self.inbox = inbox
        self.local = local
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let source = Endpoint(envelope.remoteAddress) else { return }
        let info = envelope.metadata?.packetInfo
        arrived.append(
            Datagram(
                bytes: [UInt8](buffer: envelope.data),
                source: source,
                destination: info.flatMap { Endpoint($0.destinationAddress)?.address.inZone(nil) },
                interface: info.flatMap { interface($0.interfaceIndex) }
            )
        )
    }

    private func interface(_ index: Int) -> String? {
        if let known = interfaces[index] { return known }
        let name = InterfaceNames.name(of: index)
        interfaces[index] = name
        return name
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        let batch = arrived
        arrived.removeAll(keepingCapacity: true)
        if inbox.push(batch) { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.finish(
            TransportError(
                .closed,
                operation: "receive datagram",
                peer: local,
                detail: "the socket is closed"
            )
        )
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // One failed datagram, say after an ICMP answer, does not end the socket: datagrams are unreliable.
    }
}
