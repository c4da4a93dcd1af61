import NIOCore
import Transport

/// Stores what a datagram socket receives.
final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let inbox: Inbox<ReceivedDatagram, TransportError>
    private let local: Endpoint

    init(inbox: Inbox<ReceivedDatagram, TransportError>, local: Endpoint) {
        self.inbox = inbox
        self.local = local
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let source = envelope.remoteAddress.endpoint else { return }
        let bytes = [UInt8](buffer: envelope.data)
        inbox.pushDroppingOldest(ReceivedDatagram(bytes: bytes, source: source), weight: bytes.count)
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.finish(
            TransportError(
                .closed,
                operation: "receive datagram",
                peer: "\(local)",
                detail: "the socket is closed"
            )
        )
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // One failed datagram, say after an ICMP answer, does not end the socket: datagrams are unreliable.
    }
}

/// One datagram and who sent it.
struct ReceivedDatagram: Sendable {
    let bytes: [UInt8]
    let source: Endpoint
}
