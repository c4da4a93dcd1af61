import Glibc

/// The marker structure of a JPEG file (ITU-T T.81, annex B), read without decoding.
public struct JPEGMarkers: Sendable, Hashable {
    /// Bytes from SOI to EOI, both included.
    public var byteCount: Int
    /// Whether Huffman tables are stored; some Motion-JPEG cameras leave the standard ones out.
    public var hasHuffmanTables: Bool

    /// Why no file could be delimited.
    public enum Failure: Error, Sendable {
        /// There is no SOI, or another one before the EOI, or an impossible segment length.
        case malformed
        /// The bytes end before the EOI.
        case incomplete
    }

    /// Walks the markers of the file that starts at `start`.
    ///
    /// - Parameters:
    ///   - bytes: One or more JPEG files one after the other.
    ///   - start: The index of an SOI.
    /// - Throws: ``Failure``.
    public init(in bytes: [UInt8], from start: Int = 0) throws(Failure) {
        precondition(start >= 0, "an index is not negative")
        guard start + 2 <= bytes.count else { throw .incomplete }
        guard bytes[start] == 0xFF, bytes[start + 1] == 0xD8 else { throw .malformed }
        hasHuffmanTables = false
        var index = start + 2
        while let marker = Self.nextMarker(in: bytes, from: index) {
            index = marker.end
            switch marker.code {
            case 0xD9:
                byteCount = index - start
                return
            case 0x01, 0xD0...0xD7:
                continue
            case 0xD8:
                throw .malformed
            default:
                if marker.code == 0xC4 { hasHuffmanTables = true }
                guard index + 2 <= bytes.count else { throw .incomplete }
                let length = Int(bytes[index]) << 8 | Int(bytes[index + 1])
                guard length >= 2 else { throw .malformed }
                index += length
            }
        }
        throw .incomplete
    }

    /// Finds the next marker at or after `start`, over entropy-coded data, stuffed zeros and fill bytes.
    private static func nextMarker(in bytes: [UInt8], from start: Int) -> (code: UInt8, end: Int)? {
        unsafe bytes.withUnsafeBytes { raw in
            var index = start
            while index < raw.count, let base = raw.baseAddress,
                let hit = unsafe memchr(base + index, 0xFF, raw.count - index)
            {
                let found = unsafe base.distance(to: hit)
                guard found + 1 < raw.count else { return nil }
                let code = unsafe raw[found + 1]
                if code != 0x00, code != 0xFF { return (code, found + 2) }
                index = found + (code == 0xFF ? 1 : 2)
            }
            return nil
        }
    }
}
