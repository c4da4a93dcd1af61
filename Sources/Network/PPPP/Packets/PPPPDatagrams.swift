public import Transport

/// Reads datagrams of PPPP for recordings, obfuscated ones too.
///
/// Clients send user and password in datagrams that hide them three times: obfuscated as a whole, escaped or scrambled as a command, and cut where
/// a command is longer than a packet. So of a sent command only those fields are stated that are known to be harmless, and of a
/// piece of a command nothing; other sent packets carry addresses, IDs and numbers, and are stated as they are. What was
/// received is opened, whatever its known key, so that values can be looked for in it.
///
/// The ticket of a binary login is recorded: it is worth something only as long as that session.
public struct PPPPDatagrams: DatagramReader {
    private let seal: PacketSeal

    /// Reads clear datagrams, and those with a known key.
    ///
    /// - Parameter keys: Keys of service parameters, besides the known ones.
    public init(keys: [String] = []) {
        seal = PacketSeal(keys.map { PacketCipher(key: $0) } + PacketCipher.known)
    }

    /// The form, the type and the contents of a packet as text.
    public func statement(of datagram: [UInt8]) -> [UInt8] {
        var seal = seal
        guard let packet = seal.open(datagram) else { return Array("not PPPP".utf8) }
        let form = seal.current == nil ? "clear" : "obfuscated"
        guard case .data(let channel, let index, let bytes) = packet else {
            return Array("\(form) \(Self.hex(packet.datagram.dropFirst()))".utf8)
        }
        let contents = channel == 0 ? CommandStatement(Array(bytes)).text : "bytes"
        return Array("\(form) data of channel \(channel), index \(index): \(contents)".utf8)
    }

    /// The datagram without its obfuscation.
    public func open(_ datagram: [UInt8]) -> ClearDatagram? {
        var opened = seal
        guard let packet = opened.open(datagram) else { return nil }
        let cipher = opened.current
        var place: ClearDatagram.Place?
        if case .data(let channel, let index, _) = packet {
            place = .init(stream: Int(channel), number: index, start: Packet.dataHeaderBytes)
        }
        // Scrambled bodies have their texts with the lowest bit of each byte turned.
        return ClearDatagram(cipher?.decrypted(datagram) ?? datagram, at: place, masks: [0, 1]) { bytes in
            cipher?.encrypted(bytes) ?? bytes
        }
    }

    static func hex(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
