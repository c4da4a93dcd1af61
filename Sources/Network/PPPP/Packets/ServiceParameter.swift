public import Transport

/// What an app must know to find cameras of a product line from afar: the directory servers and the key of the packets.
///
/// On the wire it is a text such as `EBGDEOBOKGICGAIAFFGNEAFMGPMHGFNDGNFLBHDK:vstarcam2019`, which vendors call init string or
/// service parameter. Source: a public client for O-KAM cameras; the forms of iLnk (`…-$$`) and of HLP2P (`DAS-…`) are others,
/// and are not read.
public struct ServiceParameter: Sendable, Hashable {
    /// Addresses of directory servers, 1 to 16.
    public var servers: [IPAddress]
    /// The text that gives the cipher of packets; `nil` where they are clear.
    public var key: String?

    /// The most servers that a parameter may name.
    public static let mostServers = 16

    /// Makes a parameter of its parts.
    public init(servers: [IPAddress], key: String? = nil) {
        self.servers = servers
        self.key = key
    }
}

extension ServiceParameter: LosslessStringConvertible {
    /// Reads a service parameter.
    ///
    /// - Returns: `nil` for letters other than A to P, an odd number of them, and anything but IPv4 addresses inside.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let letters = Array(parts[0].uppercased().utf8)
        guard !letters.isEmpty, letters.count <= 4096, letters.count.isMultiple(of: 2),
            letters.allSatisfy({ (0x41...0x50).contains($0) })
        else { return nil }
        var chained = Self.seed
        var decoded: [UInt8] = []
        for index in 0..<letters.count / 2 {
            let pair = (letters[2 * index] - 0x41) << 4 | (letters[2 * index + 1] - 0x41)
            let byte = chained ^ Self.mask[index % Self.mask.count] ^ pair
            chained ^= byte
            decoded.append(byte)
        }
        let list = String(decoding: decoded.prefix { $0 != 0 }, as: UTF8.self)
        let servers = list.split(separator: ",").map { IPAddress(String($0)) }
        guard (1...Self.mostServers).contains(servers.count) else { return nil }
        self.servers = servers.compactMap { $0?.version == .v4 ? $0 : nil }
        guard self.servers.count == servers.count else { return nil }
        key = parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil
    }

    /// As vendors write it.
    public var description: String {
        let list = servers.map { "\($0)," }.joined()
        var chained = Self.seed
        var letters: [UInt8] = []
        for (index, byte) in list.utf8.enumerated() {
            let pair = chained ^ Self.mask[index % Self.mask.count] ^ byte
            chained ^= byte
            letters += [0x41 + pair >> 4, 0x41 + pair & 0x0F]
        }
        return String(decoding: letters, as: UTF8.self) + (key.map { ":\($0)" } ?? "")
    }

    private static let seed: UInt8 = 0x39
    private static let mask: [UInt8] = [
        0x49, 0x59, 0x43, 0x3D, 0xB5, 0xBF, 0x6D, 0xA3, 0x47, 0x53, 0x4F, 0x61, 0x65, 0xE3, 0x71, 0xE9,
        0x67, 0x7F, 0x02, 0x03, 0x0B, 0xAD, 0xB3, 0x89, 0x2B, 0x2F, 0x35, 0xC1, 0x6B, 0x8B, 0x95, 0x97,
        0x11, 0xE5, 0xA7, 0x0D, 0xEF, 0xF1, 0x05, 0x07, 0x83, 0xFB, 0x9D, 0x3B, 0xC5, 0xC7, 0x13, 0x17,
        0x1D, 0x1F, 0x25, 0x29, 0xD3, 0xDF,
    ]
}
