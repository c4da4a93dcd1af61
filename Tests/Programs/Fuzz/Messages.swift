import MulticastDNS
import Services
import Transport

/// A message is read as it was written.
func parseMessage(_ bytes: [UInt8]) {
    guard let message = DNSMessage(bytes) else { return }
    for record in message.statements where record.data.type == .text {
        if case .text(let text) = record.data {
            let attributes = ServiceAttributes(text: text)
            precondition(
                ServiceAttributes(text: attributes.text) == attributes,
                "attributes are read as written"
            )
        }
    }
    let again = message.encoded
    // What was compressed in some other way may be too large without it.
    guard again.count <= DNSMessage.mostBytes else { return }
    precondition(DNSMessage(again) == message, "a message is read as it was written")
}

/// Whatever a browser and a responder are sent, what they keep and say is bounded.
func parseMessages(_ bytes: [UInt8]) {
    guard let type = ServiceType("_http._tcp"),
        let subnet = IPSubnet(IPAddress(10, 0, 0, 0), prefixLength: 8),
        var responder = Responder(ServiceOffer(name: "Hub", type: type, port: 80), host: "hub")
    else { preconditionFailure("they are valid") }
    let interface = NetworkInterface(
        name: "eth0",
        index: 2,
        addresses: [NetworkInterface.Address(IPAddress(10, 0, 0, 1), in: subnet)]
    )
    let link = Link(interface, versions: [.v4])
    let start = ContinuousClock.now
    var querier = Querier(type)
    querier.setLinks([link], at: start)
    responder.setLinks([link], at: start)
    var rest = bytes[...]
    var step = 0
    while rest.count > 2, let high = rest.popFirst(), let low = rest.popFirst() {
        step += 1
        // The second byte is also by how much time has passed.
        let now = start + .milliseconds(step * (1 + Int(low)))
        let piece = Array(rest.prefix(Int(high) << 8 | Int(low)))
        rest = rest.dropFirst(piece.count)
        if let message = DNSMessage(piece) {
            let source = Endpoint(IPAddress(10, 0, 0, 2), port: MulticastGroup.port)
            let path = LinkPath(interface: "eth0", version: .v4)
            let received = ReceivedMessage(message, piece, on: path, from: source)
            querier.receive(received, at: now)
            responder.receive(received, at: now)
        }
        querier.tick(at: now)
        responder.tick(at: now)
        let packets = querier.takePackets() + responder.takePackets()
        precondition(packets.count < 500, "what is said is bounded")
        precondition(packets.allSatisfy { DNSMessage($0.bytes) != nil }, "what is said can be read")
        precondition(querier.byteCount <= RecordCache.Limits().bytes, "what is kept is bounded")
        _ = querier.takeReport()
        _ = responder.takeReport()
    }
}
