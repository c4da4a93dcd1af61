import JPEG
import PNG

extension PhotoOrientation {
    /// What a JPEG or PNG file says; ``up`` where it says nothing, or nothing that can be read.
    init(of file: [UInt8]) {
        self = Self.exif(of: file).flatMap(Self.init(exif:)) ?? .up
    }

    /// Reads the tag in the first directory of Exif data, which is a TIFF file (TIFF 6.0, section 2).
    ///
    /// - Parameter exif: From the order of the bytes on; of any length, and with any content.
    package init?(exif: ArraySlice<UInt8>) {
        guard let reader = TIFFReader(exif), let directory = reader.number(at: 4, bytes: 4),
            let count = reader.number(at: directory, bytes: 2)
        else { return nil }
        // An entry is tag, type, count and value: 2 + 2 + 4 + 4 bytes. There are at most 65,535.
        for index in 0..<count {
            let entry = directory + 2 + 12 * index
            guard let tag = reader.number(at: entry, bytes: 2) else { return nil }
            guard tag == Self.tag else { continue }
            // One number of 16 bits, which lies in the first bytes of the value.
            guard reader.number(at: entry + 2, bytes: 2) == 3, reader.number(at: entry + 4, bytes: 4) == 1
            else { return nil }
            self.init(rawValue: reader.number(at: entry + 8, bytes: 2) ?? 0)
            return
        }
        return nil
    }

    private static let tag = 0x0112

    /// The Exif data in a file, from the order of the bytes on.
    private static func exif(of file: [UInt8]) -> ArraySlice<UInt8>? {
        guard PNGDecoder.begins(file) else {
            // The marker, the length, and “Exif” with two zeros.
            let segment = JPEGShrinker.exif(of: file)
            return segment.isEmpty ? nil : segment.dropFirst(10)
        }
        // Chunks are length, type, content and checksum (PNG, third edition, section 5.3), behind 8 bytes of signature.
        let name = Array("eXIf".utf8)
        var rest = file[8...]
        while rest.count >= 12 {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            guard length <= rest.count - 12 else { return nil }
            if rest.dropFirst(4).starts(with: name) { return rest.dropFirst(8).prefix(length) }
            rest = rest.dropFirst(12 + length)
        }
        return nil
    }
}

/// Numbers in a TIFF file, which says itself in which order their bytes are.
private struct TIFFReader {
    private let bytes: ArraySlice<UInt8>
    private let isLittleEndian: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        switch Array(bytes.prefix(4)) {
        case [0x49, 0x49, 42, 0]: isLittleEndian = true
        case [0x4D, 0x4D, 0, 42]: isLittleEndian = false
        default: return nil
        }
        self.bytes = bytes
    }

    /// The number at an offset, `nil` beyond the end.
    func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset <= bytes.count - count else { return nil }
        let number = bytes.dropFirst(offset).prefix(count)
        return isLittleEndian
            ? number.reversed().reduce(0) { $0 << 8 | Int($1) } : number.reduce(0) { $0 << 8 | Int($1) }
    }
}
