package import Transport

/// One message of the protocol, which fills one datagram.
///
/// On the wire: `F1`, the type, the length of the payload in big-endian order, the payload. Zeros after it are tolerated,
/// since some cameras send them; so is a payload that is longer than its fields, since later versions append to it.
package enum Packet: Sendable, Hashable {
    // MARK: Directory

    /// Asks a directory for the sender's public address.
    case hello
    case helloAck(Endpoint)
    /// Asks to send `helloToAck` to two addresses.
    case helloTo(Endpoint, Endpoint)
    case helloToAck
    /// A camera says where it is.
    case deviceLogin(DeviceID, lan: Endpoint)
    case deviceLoginAck(Verdict)
    /// A client asks for a camera.
    case peerRequest(DeviceID, lan: Endpoint)
    case peerRequestAck(Verdict)

    // MARK: Finding each other

    case lanSearch
    case lanSearchExtended
    /// The directory names an address of the other side.
    case punchTo(Endpoint)
    case punch(DeviceID)
    case ready(DeviceID)
    case readyAck

    // MARK: Relays

    case relayListRequest(DeviceID)
    case relayList([Endpoint])
    case relayHello
    case relayHelloAck
    case relayPort
    case relayPortAck(token: UInt32, port: UInt16)
    case relayRequest(DeviceID, relay: Endpoint, token: UInt32)
    case relayRequestAck(Verdict)
    case relayTo(Endpoint, token: UInt32)
    case relayPacket(token: UInt32, DeviceID, isDevice: Bool)
    case relayReady(DeviceID)

    // MARK: Session

    /// A piece of a channel's stream.
    case data(channel: UInt8, index: UInt16, ArraySlice<UInt8>)
    case dataAck(channel: UInt8, [UInt16])
    case alive
    case aliveAck
    case close
    case closeAck

    /// What a directory or a relay says to a request.
    package enum Verdict: UInt8, Sendable, Hashable {
        case accepted = 0x00
        case wrongKey = 0xFC
        case wrongPrefix = 0xFD
        case offline = 0xFE
        case unknown = 0xFF
    }
}

extension Packet {
    static let magic: UInt8 = 0xF1
    static let headerBytes = 4
    /// The bytes before those of a channel's stream.
    static let dataHeaderBytes = headerBytes + 4
    /// The most relays that a list may name.
    static let mostRelays = 32

    /// Reads a datagram that is not obfuscated.
    ///
    /// - Returns: `nil` for what is no packet, for a type that is not known, and for fields that make no sense.
    package init?(datagram: [UInt8]) {
        guard datagram.count >= Self.headerBytes, datagram[0] == Self.magic else { return nil }
        let end = Self.headerBytes + Int(datagram[2]) << 8 + Int(datagram[3])
        guard end <= datagram.count, datagram[end...].allSatisfy({ $0 == 0 }) else { return nil }
        self.init(type: datagram[1], payload: datagram[Self.headerBytes..<end])
    }

    private init?(type: UInt8, payload: ArraySlice<UInt8>) {
        var reader = WireReader(payload)
        func id() -> DeviceID? { reader.bytes(DeviceID.byteCount).flatMap { DeviceID(bytes: $0) } }
        func address() -> Endpoint? { reader.bytes(Endpoint.wireByteCount).flatMap { Endpoint(wire: $0) } }
        func verdict() -> Verdict? { reader.byte().map { Verdict(rawValue: $0) ?? .unknown } }
        let packet: Packet? =
            switch type {
            case 0x00: .hello
            case 0x01: address().map { .helloAck($0) }
            case 0x02: both(address(), address()).map { .helloTo($0, $1) }
            case 0x03: .helloToAck
            case 0x10:
                both(id(), reader.bytes(4)).flatMap { id, _ in address().map { .deviceLogin(id, lan: $0) } }
            case 0x11: verdict().map { .deviceLoginAck($0) }
            case 0x20: both(id(), address()).map { .peerRequest($0, lan: $1) }
            case 0x21: verdict().map { .peerRequestAck($0) }
            case 0x30: .lanSearch
            case 0x32: .lanSearchExtended
            case 0x40: address().map { .punchTo($0) }
            case 0x41: id().map { .punch($0) }
            case 0x42: id().map { .ready($0) }
            case 0x43: .readyAck
            case 0x67: id().map { .relayListRequest($0) }
            case 0x69: Self.relayList(&reader)
            case 0x70: .relayHello
            case 0x71: .relayHelloAck
            case 0x72: .relayPort
            case 0x73: both(reader.little32(), reader.big16()).map { .relayPortAck(token: $0, port: $1) }
            case 0x80:
                both(id(), address()).flatMap { id, relay in
                    reader.little32().map { .relayRequest(id, relay: relay, token: $0) }
                }
            case 0x81: verdict().map { .relayRequestAck($0) }
            case 0x82: both(address(), reader.little32()).map { .relayTo($0, token: $1) }
            case 0x83:
                both(reader.little32(), id()).flatMap { token, id in
                    reader.byte().map { .relayPacket(token: token, id, isDevice: $0 != 0) }
                }
            case 0x84: id().map { .relayReady($0) }
            case 0xD0: Self.data(&reader)
            case 0xD1: Self.dataAck(&reader)
            case 0xE0: .alive
            case 0xE1: .aliveAck
            case 0xF0: .close
            case 0xF1: .closeAck
            default: nil
            }
        guard let packet else { return nil }
        self = packet
    }

    private static func relayList(_ reader: inout WireReader) -> Packet? {
        guard let count = reader.byte(), count <= mostRelays, reader.bytes(3) != nil else { return nil }
        var relays: [Endpoint] = []
        for _ in 0..<count {
            guard let bytes = reader.bytes(Endpoint.wireByteCount), let relay = Endpoint(wire: bytes) else {
                return nil
            }
            relays.append(relay)
        }
        return .relayList(relays)
    }

    private static func data(_ reader: inout WireReader) -> Packet? {
        guard reader.byte() == dataMarker, let channel = reader.byte(), let index = reader.big16() else {
            return nil
        }
        return .data(channel: channel, index: index, reader.rest)
    }

    private static func dataAck(_ reader: inout WireReader) -> Packet? {
        // Some clients mark acknowledgements with D2.
        guard let marker = reader.byte(), marker == dataMarker || marker == 0xD2,
            let channel = reader.byte(), let count = reader.big16()
        else { return nil }
        var indices: [UInt16] = []
        for _ in 0..<count {
            guard let index = reader.big16() else { return nil }
            indices.append(index)
        }
        return .dataAck(channel: channel, indices)
    }

    private static let dataMarker: UInt8 = 0xD1
}

/// Both values, when both are there.
private func both<A, B>(_ one: A?, _ other: B?) -> (A, B)? {
    guard let one, let other else { return nil }
    return (one, other)
}

// MARK: Writing

extension Packet {
    /// As a datagram that is not obfuscated.
    package var datagram: [UInt8] {
        var bytes: [UInt8] = []
        if case .data(_, _, let data) = self { bytes.reserveCapacity(Self.headerBytes + 4 + data.count) }
        bytes += [Self.magic, type, 0, 0]
        appendPayload(to: &bytes)
        let length = bytes.count - Self.headerBytes
        precondition(length <= 0xFFFF, "the length of a packet has 16 bits")
        (bytes[2], bytes[3]) = (UInt8(length >> 8), UInt8(length & 0xFF))
        return bytes
    }

    private var type: UInt8 {
        switch self {
        case .hello: 0x00
        case .helloAck: 0x01
        case .helloTo: 0x02
        case .helloToAck: 0x03
        case .deviceLogin: 0x10
        case .deviceLoginAck: 0x11
        case .peerRequest: 0x20
        case .peerRequestAck: 0x21
        case .lanSearch: 0x30
        case .lanSearchExtended: 0x32
        case .punchTo: 0x40
        case .punch: 0x41
        case .ready: 0x42
        case .readyAck: 0x43
        case .relayListRequest: 0x67
        case .relayList: 0x69
        case .relayHello: 0x70
        case .relayHelloAck: 0x71
        case .relayPort: 0x72
        case .relayPortAck: 0x73
        case .relayRequest: 0x80
        case .relayRequestAck: 0x81
        case .relayTo: 0x82
        case .relayPacket: 0x83
        case .relayReady: 0x84
        case .data: 0xD0
        case .dataAck: 0xD1
        case .alive: 0xE0
        case .aliveAck: 0xE1
        case .close: 0xF0
        case .closeAck: 0xF1
        }
    }

    private func appendPayload(to bytes: inout [UInt8]) {
        switch self {
        case .hello, .helloToAck, .lanSearch, .lanSearchExtended, .readyAck, .relayHello, .relayHelloAck,
            .relayPort, .alive, .aliveAck, .close, .closeAck:
            break
        case .helloAck(let address), .punchTo(let address):
            bytes += address.wire
        case .helloTo(let one, let other):
            bytes += one.wire + other.wire
        case .deviceLogin(let id, let lan):
            // Type of NAT and version of the API, which no server is known to judge.
            bytes += id.bytes + [0, 2, 0, 0] + lan.wire
        case .deviceLoginAck(let verdict), .peerRequestAck(let verdict), .relayRequestAck(let verdict):
            bytes += [verdict.rawValue, 0, 0, 0]
        case .peerRequest(let id, let lan):
            bytes += id.bytes + lan.wire
        case .punch(let id), .ready(let id), .relayListRequest(let id), .relayReady(let id):
            bytes += id.bytes
        case .relayList(let relays):
            bytes += [UInt8(clamping: min(relays.count, Self.mostRelays)), 0, 0, 0]
            bytes += relays.prefix(Self.mostRelays).flatMap(\.wire)
        case .relayPortAck(let token, let port):
            bytes.append(little: token)
            bytes.append(big: port)
            bytes += [0, 0]
        case .relayRequest(let id, let relay, let token):
            bytes += id.bytes + relay.wire
            bytes.append(little: token)
        case .relayTo(let address, let token):
            bytes += address.wire
            bytes.append(little: token)
        case .relayPacket(let token, let id, let isDevice):
            bytes.append(little: token)
            bytes += id.bytes + [isDevice ? 1 : 0, 0, 0, 0]
        case .data(let channel, let index, let data):
            bytes += [Self.dataMarker, channel]
            bytes.append(big: index)
            bytes += data
        case .dataAck(let channel, let indices):
            bytes += [Self.dataMarker, channel]
            bytes.append(big: UInt16(clamping: indices.count))
            for index in indices.prefix(0xFFFF) { bytes.append(big: index) }
        }
    }
}
