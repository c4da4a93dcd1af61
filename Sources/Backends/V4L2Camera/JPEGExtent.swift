import Glibc

/// Where the JPEG file in a driver's buffer begins and ends.
///
/// Drivers leave bytes of older pictures behind it, which may have an end of their own. So the file is read by its segments up to the
/// first end (ISO/IEC 10918-1, B.1 and B.2).
enum JPEGExtent {
    /// The file, from SOI to EOI; `nil` when there is none that is whole.
    static func file(in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let end = unsafe end(of: bytes) else { return nil }
        return unsafe [UInt8](bytes[..<end])
    }

    private static func end(of bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4, unsafe bytes[0] == 0xFF, unsafe bytes[1] == 0xD8 else { return nil }
        var place = 2
        while place + 4 <= bytes.count {
            guard unsafe bytes[place] == 0xFF else { return nil }
            let marker = unsafe bytes[place + 1]
            switch marker {
            // A fill byte before a marker.
            case 0xFF: place += 1
            // An end without a picture.
            case 0xD9: return nil
            // Neither has a length.
            case 0x01, 0xD0...0xD8: place += 2
            default:
                let length = unsafe Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
                guard length >= 2 else { return nil }
                place += 2 + length
                guard marker == 0xDA else { continue }
                guard let next = unsafe nextMarker(in: bytes, from: place) else { return nil }
                if unsafe bytes[next + 1] == 0xD9 { return next + 2 }
                place = next
            }
        }
        return nil
    }

    /// The first marker in entropy-coded data: 0xFF with neither a zero, which is data, nor a restart.
    private static func nextMarker(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var place = start
        while place + 1 < bytes.count, let base = bytes.baseAddress {
            guard let found = unsafe memchr(base + place, 0xFF, bytes.count - place - 1) else { return nil }
            place = unsafe UnsafeRawPointer(found) - base
            let next = unsafe bytes[place + 1]
            switch next {
            case 0x00, 0xD0...0xD7: place += 2
            case 0xFF: place += 1
            default: return place
            }
        }
        return nil
    }
}
