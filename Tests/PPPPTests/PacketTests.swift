import Crypto
import TestSupport
import Testing
import Transport

@testable import PPPP

@Suite("PPPP: packets")
struct PacketTests {
    static let id = ["VSTB-123456-ABCDE"].compactMap { DeviceID($0) }[0]

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).map { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16) ?? 0
        }
    }

    // MARK: IDs and addresses

    @Test(arguments: ["VSTB-123456-ABCDE", "VSTB123456ABCDE", "vstb123456abcde"])
    func `an ID is read with dashes and without`(text: String) {
        #expect(DeviceID(text) == Self.id)
        #expect("\(Self.id)" == "VSTB-123456-ABCDE")
    }

    @Test func `a serial number is written with six digits at least`() {
        #expect(DeviceID("DGO-000042-ABCDE")?.serial == 42)
        #expect(DeviceID(prefix: "DGO", serial: 42, check: "ABCDE")?.description == "DGO-000042-ABCDE")
        #expect(
            DeviceID(prefix: "DGO", serial: .max, check: "A")?.description == "DGO-4294967295-A"
        )
    }

    @Test(
        arguments: [
            "", "-", "--", "VSTB", "VSTB-123456", "VSTB-x-ABCDE", "VSTB-123456-ABC-DE", "VSTBVSTBX-1-A",
            "VSTB-4294967296-ABCDE", "VSTB-1-ABCDEFGHI", "VSTÄ-1-ABCDE", "123456", "VSTB--ABCDE", "VS B-1-A",
        ]
    )
    func `what is no ID is refused`(text: String) { #expect(DeviceID(text) == nil) }

    @Test func `an ID's bytes have nothing but padding behind its text`() {
        #expect(DeviceID(bytes: Self.id.bytes) == Self.id)
        for index in [7, 19] {
            var damaged = Self.id.bytes
            damaged[index] = 0x41
            #expect(DeviceID(bytes: damaged) == nil)
        }
        #expect(DeviceID(bytes: Self.id.bytes.dropLast()) == nil)
    }

    @Test func `an address has its port in little-endian order and its octets reversed`() {
        let address = Endpoint(IPAddress(192, 168, 1, 20), port: 32108)
        #expect(address.wire == bytes("0002 6c7d 1401a8c0 0000000000000000"))
        #expect(Endpoint(wire: address.wire) == address)
        #expect(Endpoint(wire: bytes("0003 6c7d 1401a8c0 0000000000000000")) == nil)
        #expect(Endpoint(wire: address.wire.dropLast()) == nil)
    }

    // MARK: Packets

    @Test func `a punch has the bytes of the reference`() {
        let punch = bytes("f1410014 5653544200000000 0001e240 4142434445000000")
        #expect(Packet.punch(Self.id).datagram == punch)
        #expect(Packet(datagram: punch) == .punch(Self.id))
    }

    static let all: [Packet] = {
        let address = Endpoint(IPAddress(10, 1, 2, 3), port: 4660)
        let other = Endpoint(IPAddress(172, 16, 0, 9), port: 65535)
        return [
            .hello, .helloAck(address), .helloTo(address, other), .helloToAck, .deviceLogin(id, lan: address),
            .deviceLoginAck(.accepted), .peerRequest(id, lan: other), .peerRequestAck(.offline), .lanSearch,
            .lanSearchExtended, .punchTo(address), .punch(id), .ready(id), .readyAck, .relayListRequest(id),
            .relayList([]), .relayList([address, other]), .relayHello, .relayHelloAck, .relayPort,
            .relayPortAck(token: 0x0102_0304, port: 9000), .relayRequest(id, relay: other, token: 7),
            .relayRequestAck(.wrongPrefix), .relayTo(address, token: .max),
            .relayPacket(token: 5, id, isDevice: true), .relayPacket(token: 5, id, isDevice: false),
            .relayReady(id), .data(channel: 0, index: 0, []), .data(channel: 7, index: 65535, [1, 2, 3]),
            .dataAck(channel: 1, []), .dataAck(channel: 1, [0, 65535]), .alive, .aliveAck, .close, .closeAck,
        ]
    }()

    @Test(arguments: all) func `a packet is read as it was written`(packet: Packet) {
        #expect(Packet(datagram: packet.datagram) == packet)
        #expect(Packet(datagram: packet.datagram + [0, 0, 0, 0]) == packet)
        #expect(Packet(datagram: packet.datagram + [0, 1]) == nil)
        for count in 0..<packet.datagram.count {
            #expect(Packet(datagram: Array(packet.datagram.prefix(count))) == nil)
        }
    }

    @Test func `fields that a later version appends are passed over`() {
        #expect(Packet(datagram: bytes("f1410018") + Self.id.bytes + [1, 2, 3, 0]) == .punch(Self.id))
    }

    @Test func `an acknowledgement may be marked D2`() {
        #expect(Packet(datagram: bytes("f1d10006 d2000001 0005")) == .dataAck(channel: 0, [5]))
    }

    @Test(arguments: [0x04, 0x33, 0x87, 0xD8, 0xF9] as [UInt8])
    func `an unknown type is no packet`(type: UInt8) {
        #expect(Packet(datagram: [0xF1, type, 0, 0]) == nil)
    }

    @Test(
        arguments: [
            "f1d1 0006 d1 00 0002 0005", "f1d1 0004 d1 00 ffff", "f1d1 0004 d3 00 0000",
            "f169 0004 ff 000000",
            "f169 0004 01 000000", "f1d0 0004 d2 00 0000", "f101 0010 0003 0000 00000000 0000000000000000",
        ]
    )
    func `fields that make no sense are no packet`(hex: String) {
        #expect(Packet(datagram: bytes(hex)) == nil)
    }

    @Test func `random bytes behind every type are refused, or are one packet`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            for type in UInt8.min...UInt8.max {
                let count = Int.random(in: 0..<80, using: &generator)
                let payload = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let datagram = [0xF1, type, 0, UInt8(count)] + payload
                guard let packet = Packet(datagram: datagram) else { continue }
                #expect(Packet(datagram: packet.datagram) == packet)
            }
        }
    }

    // MARK: Obfuscation

    @Test func `the table is the one whose checksum is published`() {
        let digest = SHA256.hash(data: PacketCipher.table).map { UInt8($0) }
        #expect(digest == bytes("1c62d8d6e42ae0916e2a0fce5410bb5da3270cfd660500da5f53af12a172ff07"))
        #expect(Set(PacketCipher.table).count == 256)
    }

    /// Key, state, then LAN_SEARCH, LAN_SEARCH_EXT, ALIVE, ALIVE_ACK and CLOSE.
    static let vectors: [(key: String, state: String, packets: [String])] = [
        ("camera", "6997cc19", ["2cba5f5d", "2cb8c415", "2c6ada84", "2c6b0ad7", "2c7a4555"]),
        ("vstarcam2018", "2cd46006", ["49b573d5", "49b7ed6c", "4965fe3e", "4964126f", "497550bb"]),
        ("vstarcam2019", "2dd36107", ["e43b4322", "e4393006", "e4eb7d14", "e4ea667a", "e4fbe8f7"]),
        ("vstarcam2021", "26da5e0c", ["2837c099", "28358c3f", "28e7166b", "28e60df2", "28f74ac6"]),
        ("veepai2023", "41bf120d", ["5adc850d", "5adeea46", "5a0c7f69", "5a0d8d20", "5a1c0608"]),
        ("veepai2024", "42be120a", ["b284fd2c", "b286f565", "b25429f2", "b2550c07", "b2445fdd"]),
    ]

    @Test(arguments: vectors)
    func `packets are obfuscated as in the reference`(key: String, state: String, expected: [String]) {
        let cipher = PacketCipher(key: key)
        #expect(cipher.state == bytes(state))
        let packets: [Packet] = [.lanSearch, .lanSearchExtended, .alive, .aliveAck, .close]
        for (packet, hex) in zip(packets, expected) {
            #expect(cipher.encrypted(packet.datagram) == bytes(hex))
            #expect(cipher.decrypted(bytes(hex)) == packet.datagram)
        }
    }

    @Test func `a punch is obfuscated as in the reference`() {
        let cipher = PacketCipher(key: "vstarcam2019")
        let expected = bytes("e44aa25ee1a50917efd49c53fcbbb4a6f31058ea233b4322")
        #expect(cipher.encrypted(Packet.punch(Self.id).datagram) == expected)
        #expect(cipher == PacketCipher(prefix: "vstk"))
        #expect(PacketCipher(prefix: "VSTB") == nil)
    }

    @Test func `all forms are read, and answers take the form of what was read last`() {
        let cipher = PacketCipher(key: "camera")
        var seal = PacketSeal(cipher)
        func read(_ datagram: [UInt8]) -> Packet? { seal.open(datagram) }
        #expect(seal.close(.alive) == cipher.encrypted(Packet.alive.datagram))
        #expect(read(Packet.alive.datagram) == .alive)
        #expect(seal.close(.alive) == Packet.alive.datagram)
        #expect(read([1, 2, 3, 4]) == nil)
        #expect(seal.current == nil)
        #expect(read(cipher.encrypted(Packet.close.datagram)) == .close)
        #expect(seal.current == cipher)
        #expect(seal.closeAll(.alive).count == 2)
        seal = PacketSeal([])
        #expect(read(cipher.encrypted(Packet.close.datagram)) == nil)
        #expect(seal.closeAll(.alive) == [Packet.alive.datagram])
        seal = PacketSeal(PacketCipher.known)
        for cipher in PacketCipher.known {
            #expect(read(cipher.encrypted(Packet.ready(Self.id).datagram)) == .ready(Self.id))
            #expect(seal.current == cipher)
        }
    }

    // MARK: Service parameters

    @Test func `a service parameter names directories and a key`() throws {
        let text = "EBGDEOBOKGICGAIAFFGNEAFMGPMHGFNDGNFLBHDK"
        let parameter = try #require(ServiceParameter(text + ":vstarcam2019"))
        #expect(parameter.servers == [.loopbackV4, .loopbackV4])
        #expect(parameter.key == "vstarcam2019")
        #expect("\(parameter)" == text + ":vstarcam2019")
        #expect(ServiceParameter(text)?.key == nil)
        let many = ServiceParameter(servers: (1...16).map { IPAddress(10, 0, 0, $0) })
        #expect(ServiceParameter("\(many)") == many)
        let tooMany = ServiceParameter(servers: (1...17).map { IPAddress(10, 0, 0, $0) })
        #expect(ServiceParameter("\(tooMany)") == nil)
    }

    @Test(arguments: [
        "", ":key", "E", "EBGDE", "EBGDEOBOKGICGAIAFFGNEAFMGPMHGFNDGNFLBHDZ", "AAAA", "ÄÄ", "EB",
    ])
    func `what is no service parameter is refused`(text: String) {
        #expect(ServiceParameter(text) == nil)
    }
}
