/// Where a JPEG file ends and how large its picture is, without decoding it (ITU-T T.81).
package struct JPEGShape: Sendable, Hashable {
    package let width: Int
    package let height: Int
    /// The file's bytes, without padding behind them.
    package let count: Int

    /// The most pixels in a row or a column: cameras of this kind have at most some thousand.
    private static let mostPixels = 8192

    static func begins(_ bytes: ArraySlice<UInt8>) -> Bool { bytes.starts(with: [0xFF, 0xD8, 0xFF]) }

    static func ends(_ bytes: [UInt8]) -> Bool { bytes.count >= 4 && bytes.suffix(2) == [0xFF, 0xD9] }

    /// Reads a file's headers.
    ///
    /// - Returns: `nil` when it does not begin and end as one, or says no sensible size.
    package init?(_ bytes: [UInt8]) {
        let padding = bytes.reversed().prefix { $0 == 0 }.count
        let file = bytes.dropLast(padding)
        guard Self.begins(file), Self.ends(Array(file.suffix(4))), file.count > 4 else { return nil }
        var reader = WireReader(file.dropFirst(2))
        while let size = Self.nextSegment(&reader) {
            guard let size else { continue }
            guard (1...Self.mostPixels).contains(size.width), (1...Self.mostPixels).contains(size.height)
            else {
                return nil
            }
            (width, height, count) = (size.width, size.height, file.count)
            return
        }
        return nil
    }

    /// Reads one segment.
    ///
    /// - Returns: `nil` at the end of the headers; the size inside it when the segment tells one.
    private static func nextSegment(_ reader: inout WireReader) -> (width: Int, height: Int)?? {
        guard reader.byte() == 0xFF, var marker = reader.byte() else { return .none }
        // Any number of FF may stand before a marker.
        while marker == 0xFF {
            guard let next = reader.byte() else { return .none }
            marker = next
        }
        // FF 00 is a byte of a scan, and no marker (B.1.1.5). The scan, and the end.
        guard marker != 0x00, marker != 0xDA, marker != 0xD9, let length = reader.big16(), length >= 2,
            let body = reader.bytes(Int(length) - 2)
        else { return .none }
        let isFrame = (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker)
        guard isFrame else { return .some(nil) }
        var fields = WireReader(body)
        guard fields.byte() != nil, let height = fields.big16(), let width = fields.big16() else {
            return .none
        }
        return (Int(width), Int(height))
    }
}
