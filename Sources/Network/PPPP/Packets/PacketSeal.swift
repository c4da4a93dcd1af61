/// Turns packets into datagrams and back: clear ones, and those that are obfuscated with one of several keys.
///
/// Some cameras send the same packets clear and obfuscated, and of a camera that is not known yet nobody knows the key, so that
/// all forms are read; answers take the form of what was read last.
package struct PacketSeal: Sendable {
    private let ciphers: [PacketCipher]
    /// The cipher of what is sent next; `nil` where it is clear.
    package private(set) var current: PacketCipher?

    /// Uses the first cipher from the beginning, where there is one.
    package init(_ ciphers: [PacketCipher]) {
        self.ciphers = ciphers
        current = ciphers.first
    }

    package init(_ cipher: PacketCipher?) { self.init(cipher.map { [$0] } ?? []) }

    /// Reads a datagram in any form.
    ///
    /// - Returns: `nil` for what is no packet in any form; the form of answers stays then.
    package mutating func open(_ datagram: [UInt8]) -> Packet? {
        if let packet = Packet(datagram: datagram) {
            current = nil
            return packet
        }
        // The first byte is always the same, so that it tells the key without a look at the rest.
        for cipher in ciphers where cipher.fits(datagram) {
            if let packet = Packet(datagram: cipher.decrypted(datagram)) {
                current = cipher
                return packet
            }
        }
        return nil
    }

    package func close(_ packet: Packet) -> [UInt8] {
        current.map { $0.encrypted(packet.datagram) } ?? packet.datagram
    }

    /// The packet in each form that the other side may understand.
    package func closeAll(_ packet: Packet) -> [[UInt8]] {
        let clear = packet.datagram
        return [clear] + ciphers.map { $0.encrypted(clear) }
    }
}
