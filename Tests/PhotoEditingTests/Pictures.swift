import Crypto
import JPEG
import PNG
import Services
import TestSupport

@testable import PhotoEditing

/// An RGB picture whose pixels are made one by one.
func picture(
    _ width: Int,
    _ height: Int,
    _ pixel: (_ x: Int, _ y: Int) -> (UInt8, UInt8, UInt8)
) -> PixelBuffer {
    let picture = PixelBuffer(size: PixelSize(width: width, height: height), layout: .rgb)
    unsafe picture.withMutableBytes { bytes in
        for y in 0..<height {
            for x in 0..<width {
                let place = 3 * (y * width + x)
                unsafe (bytes[place], bytes[place + 1], bytes[place + 2]) = pixel(x, y)
            }
        }
    }
    return picture
}

/// A picture with no two pixels alike, of up to 256 × 256.
func numbered(_ width: Int, _ height: Int) -> PixelBuffer {
    picture(width, height) { x, y in (UInt8(x), UInt8(y), UInt8((x * 31 + y * 17) % 256)) }
}

/// Soft colours with an edge, as a photo has them.
func scene(_ width: Int, _ height: Int) -> PixelBuffer {
    picture(width, height) { x, y in
        let sky = y * 3 < height
        return (
            UInt8(40 + 180 * x / width), UInt8(sky ? 120 : 60 + 120 * y / height),
            UInt8(sky ? 230 : 30 + 60 * (x + y) / (width + height))
        )
    }
}

extension PixelBuffer {
    var contents: [UInt8] { unsafe withBytes { unsafe [UInt8]($0) } }

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        let place = 3 * (y * size.width + x)
        return unsafe withBytes { unsafe [UInt8]($0[place..<place + 3]) }
    }
}

/// Exif data with an orientation and a place.
func exif(_ orientation: Int, littleEndian: Bool = false) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return littleEndian ? bytes : bytes.reversed()
    }
    // Two entries: Make (ASCII, here for the place) and Orientation (SHORT).
    let place = Array("52.5N\0".utf8)
    return Array(littleEndian ? "II".utf8 : "MM".utf8) + number(42, 2) + number(8, 4) + number(2, 2)
        + number(0x010F, 2) + number(2, 2) + number(place.count, 4) + number(38, 4)
        + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        + number(0, 4) + place
}

/// A JPEG file of quality 95 with a segment of Exif data.
func jpeg(_ picture: PixelBuffer, exif: [UInt8]) throws -> [UInt8] {
    let file = try JPEGEncoder().encode(picture, quality: 95)
    let content = Array("Exif\0\0".utf8) + exif
    let length = content.count + 2
    return file[..<2] + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)] + content + file[2...]
}

func digest(_ bytes: some Sequence<UInt8>) -> String {
    SHA256.hash(data: Array(bytes)).prefix(8).map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
}
