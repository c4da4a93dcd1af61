/// The obfuscation of whole datagrams by a key that all cameras of a product line share.
///
/// It hides nothing from anybody who wants to read it: one known packet reveals the key, and nothing is authenticated. What
/// comes out of it is as foreign as what goes in.
///
/// Source of the algorithm: public analyses of the vendor's library; the table is that of aiopppp 0.2.3 (`encrypt.py`), and a test
/// compares its SHA-256 and known ciphertexts.
public struct PacketCipher: Sendable, Hashable {
    /// Four numbers that are computed from the key's text.
    let state: [UInt8]
    /// What a byte is mixed with, by the byte of the datagram that was sent before it: 256 numbers.
    private let masks: [UInt8]

    /// Makes the cipher of a product line's key, such as `vstarcam2019`; bytes after the twentieth do not count.
    public init(key: String) {
        var (sum, thirds, parity): (UInt8, UInt8, UInt8) = (0, 0, 0)
        for byte in key.utf8.prefix(20) {
            sum &+= byte
            thirds &+= byte / 3
            parity ^= byte
        }
        let state = [sum, 0 &- sum, thirds, parity]
        self.state = state
        masks = (0...UInt8.max).map { Self.table[Int(state[Int($0 & 3)] &+ $0)] }
    }

    /// The datagram as it is sent.
    package func encrypted(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var previous: UInt8 = 0
        for index in bytes.indices {
            bytes[index] ^= masks[Int(previous)]
            previous = bytes[index]
        }
        return bytes
    }

    /// The datagram as it was before it was sent.
    package func decrypted(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var previous: UInt8 = 0
        for index in bytes.indices {
            let cipher = bytes[index]
            bytes[index] ^= masks[Int(previous)]
            previous = cipher
        }
        return bytes
    }

    /// Whether the first byte may be that of a packet.
    func fits(_ datagram: [UInt8]) -> Bool { datagram.first.map { $0 ^ masks[0] } == Packet.magic }
}

extension PacketCipher {
    /// The keys that are known, for searches of cameras of which nothing is known.
    package static let known: [PacketCipher] = [
        "vstarcam2019", "vstarcam2018", "vstarcam2021", "veepai2023", "veepai2024", "camera",
    ].map { PacketCipher(key: $0) }

    /// The key of a product line by the prefix of its IDs, as far as it is known; `nil` where datagrams are clear or nothing is known.
    ///
    /// Source: vstarcamctl and the tables of the vendor's own app.
    public init?(prefix: String) {
        let key: String? =
            switch prefix.uppercased() {
            case "VSTG", "VSTH": "vstarcam2018"
            case "VSTJ", "VSTK", "VSTL", "VSTM", "VSTN", "VSTP": "vstarcam2019"
            case "VSGG", "VSGM", "VSGS": "vstarcam2021"
            case "VSKK": "veepai2023"
            case "VSKM", "VSLL", "VSME", "VSIA": "veepai2024"
            case let prefix where prefix.hasPrefix("DGO"): "camera"
            default: nil
            }
        guard let key else { return nil }
        self.init(key: key)
    }
}
