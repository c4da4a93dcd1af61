/// The name by which a camera is found, such as `VSTB-123456-ABCDE`.
///
/// Source: public descriptions of the protocol's 20-byte UID: a prefix of up to 8 letters, a serial number of 32 bits, and a
/// check code of up to 8 letters. The check code is not computed here: its algorithm is not public.
public struct DeviceID: Sendable, Hashable {
    /// Which vendor and product line; 1 to 8 letters or digits, upper case.
    public let prefix: String
    /// Counts up within a prefix.
    public let serial: UInt32
    /// Letters that the maker computes from the rest; 1 to 8 letters or digits, upper case.
    public let check: String

    /// How many bytes it takes in packets.
    package static let byteCount = 20
    private static let fieldBytes = 8

    /// Makes an ID of its parts; letters become upper case.
    ///
    /// - Returns: `nil` when a part is empty, too long or has anything but ASCII letters and digits.
    public init?(prefix: String, serial: UInt32, check: String) {
        guard Self.isField(prefix), Self.isField(check) else { return nil }
        (self.prefix, self.serial, self.check) = (prefix.uppercased(), serial, check.uppercased())
    }

    /// Reads 20 bytes of a packet.
    package init?(bytes: some Collection<UInt8>) {
        var reader = WireReader(Array(bytes))
        guard let prefix = reader.bytes(Self.fieldBytes), let serial = reader.big32(),
            let check = reader.bytes(Self.fieldBytes)
        else { return nil }
        func text(_ field: ArraySlice<UInt8>) -> String? {
            let text = field.prefix { $0 != 0 }
            // What follows the text is padding, and nothing else.
            guard field.dropFirst(text.count).allSatisfy({ $0 == 0 }) else { return nil }
            return String(decoding: text, as: UTF8.self)
        }
        guard let prefix = text(prefix), let check = text(check) else { return nil }
        self.init(prefix: prefix, serial: serial, check: check)
    }

    /// As in packets.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(prefix, field: Self.fieldBytes)
        bytes.append(big: serial)
        bytes.append(check, field: Self.fieldBytes)
        return bytes
    }

    private static func isField(_ text: String) -> Bool {
        (1...fieldBytes).contains(text.utf8.count) && text.utf8.allSatisfy { isLetter($0) || isDigit($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension DeviceID: LosslessStringConvertible {
    /// Reads `VSTB-123456-ABCDE`, or without dashes `VSTB123456ABCDE`, as labels and apps write it; the case does not matter.
    ///
    /// - Returns: `nil` for anything else.
    public init?(_ text: String) {
        let parts: [Substring.UTF8View]
        if text.utf8.contains(UInt8(ascii: "-")) {
            parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        } else {
            let prefix = text.utf8.prefix(while: Self.isLetter)
            let rest = text.utf8.dropFirst(prefix.count)
            let serial = rest.prefix(while: Self.isDigit)
            parts = [prefix, serial, rest.dropFirst(serial.count)]
        }
        guard parts.count == 3, parts[1].allSatisfy(Self.isDigit),
            let serial = UInt32(String(decoding: parts[1], as: UTF8.self))
        else { return nil }
        self.init(
            prefix: String(decoding: parts[0], as: UTF8.self),
            serial: serial,
            check: String(decoding: parts[2], as: UTF8.self)
        )
    }

    /// With dashes, and six digits of the serial number at least.
    public var description: String {
        let digits = String(serial)
        return "\(prefix)-\(String(repeating: "0", count: max(0, 6 - digits.count)))\(digits)-\(check)"
    }
}
