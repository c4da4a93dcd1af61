/// Turns packets into datagrams and back: clear ones, obfuscated ones, or both.
///
/// Some cameras send the same packets clear and obfuscated, so that both are read; answers take the form of what was read last.
package struct PacketSeal: Sendable {
    private let cipher: PacketCipher?
    /// Whether what is sent next is obfuscated.
    package private(set) var isObfuscating: Bool

    /// Obfuscates from the beginning where there is a cipher.
    package init(_ cipher: PacketCipher?) {
        self.cipher = cipher
        isObfuscating = cipher != nil
    }

    /// Reads a datagram in either form.
    ///
    /// - Returns: `nil` for what is no packet in any form; the form of answers stays then.
    package mutating func open(_ datagram: [UInt8]) -> Packet? {
        if let packet = Packet(datagram: datagram) {
            isObfuscating = false
            return packet
        }
        guard let cipher, let packet = Packet(datagram: cipher.decrypted(datagram)) else { return nil }
        isObfuscating = true
        return packet
    }

    package func close(_ packet: Packet) -> [UInt8] {
        guard isObfuscating, let cipher else { return packet.datagram }
        return cipher.encrypted(packet.datagram)
    }

    /// The packet in each form that the other side may understand.
    package func closeAll(_ packet: Packet) -> [[UInt8]] {
        let clear = packet.datagram
        return [clear] + (cipher.map { [$0.encrypted(clear)] } ?? [])
    }
}
