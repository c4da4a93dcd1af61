public import Services

/// A frame's number and capture time as dark and light cells across the top of the picture.
///
/// 96 bits, most significant bit first, row by row, with a column of reference cells on either side, light in even rows and dark in odd ones,
/// that gives the threshold. Cells are as wide as high, but no higher than a part of the picture: relative, so that they are
/// found at any scale. There are two layouts:
/// - Blocks, of 24 columns and 4 rows in black and white, on scenes that are not drawn: a mark of 4 bits, the number (32), the capture time in
///   microseconds (44), and the checksum.
/// - A strip of 48 columns and 2 rows in walnut and cream, on drawn scenes: a mark of 4 bits, which says what place it is, the number (26),
///   the capture time in milliseconds (32), the scene's seed (12), the zoom in tenths above 1 (5), whether something near is in focus (1),
///   and the checksum.
///
/// The checksum is CRC-16/CCITT-FALSE over the 80 bits before it (polynomial 0x1021, start 0xFFFF).
public struct FrameCode: Sendable, Hashable {
    /// The frame's number, modulo 2³², or modulo 2²⁶ on a drawn scene.
    public var sequence: Int
    /// When the shutter opened since the camera connected: in whole microseconds, modulo 2⁴⁴ (203 days), or in whole
    /// milliseconds, modulo 2³² (49 days), on a drawn scene.
    public var captureTime: Duration
    /// What the camera looked at, where that is a drawn scene.
    public var sight: Sight?

    /// Creates a code; values beyond their ranges wrap around.
    public init(sequence: Int, captureTime: Duration, sight: Sight? = nil) {
        self.sight = sight
        if sight == nil {
            self.sequence = sequence & 0xFFFF_FFFF
            self.captureTime = .microseconds((captureTime.nanoseconds / 1_000) & 0xFFF_FFFF_FFFF)
        } else {
            self.sequence = sequence & 0x3FF_FFFF
            self.captureTime = .milliseconds((captureTime.nanoseconds / 1_000_000) & 0xFFFF_FFFF)
        }
    }

    /// The smallest picture in which the code survives JPEG quality 10: blocks of 6 pixels, cells of a strip of 3.
    public static let minimumSize = PixelSize(width: 160, height: 90)

    /// Where its cells lie.
    var layout: FrameCodeGrid.Layout { sight == nil ? .blocks : .strip }
}

extension FrameCode {
    /// Tells an empty or foreign picture from a code even before the checksum.
    private static let blockMark: UInt64 = 0b1010
    private static func mark(of place: DrawnScene.Place) -> UInt64 {
        switch place {
        case .room: 0b1001
        case .frontDoor: 0b0110
        }
    }

    /// The 96 bits, first cell first.
    var bits: [Bool] {
        var bits: [Bool] = []
        func append(_ value: some BinaryInteger, _ count: Int) {
            let value = UInt64(truncatingIfNeeded: value)
            for shift in stride(from: count - 1, through: 0, by: -1) {
                bits.append(value >> UInt64(shift) & 1 == 1)
            }
        }
        if let sight {
            append(Self.mark(of: sight.scene.place), 4)
            append(sequence, 26)
            append(captureTime.nanoseconds / 1_000_000, 32)
            append(sight.scene.seed, 12)
            append(sight.zoomTenths, 5)
            append(sight.isFocusNear ? 1 : 0, 1)
        } else {
            append(Self.blockMark, 4)
            append(sequence, 32)
            append(captureTime.nanoseconds / 1_000, 44)
        }
        append(Self.checksum(bits), 16)
        return bits
    }

    /// Reads 96 bits; `nil` when mark or checksum are wrong.
    init?(bits: [Bool], layout: FrameCodeGrid.Layout) {
        guard bits.count == layout.columns * layout.rows else { return nil }
        func value(_ range: Range<Int>) -> UInt64 {
            bits[range].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        guard value(80..<96) == Self.checksum(Array(bits[..<80])) else { return nil }
        switch layout {
        case .blocks:
            guard value(0..<4) == Self.blockMark else { return nil }
            self.init(sequence: Int(value(4..<36)), captureTime: .microseconds(Int64(value(36..<80))))
        case .strip:
            let places = DrawnScene.Place.allCases
            guard let place = places.first(where: { Self.mark(of: $0) == value(0..<4) }) else { return nil }
            self.init(
                sequence: Int(value(4..<30)),
                captureTime: .milliseconds(Int64(value(30..<62))),
                sight: Sight(
                    scene: DrawnScene(place, seed: value(62..<74)),
                    zoom: 1 + Double(value(74..<79)) / 10,
                    isFocusNear: value(79..<80) == 1
                )
            )
        }
    }

    private static func checksum(_ bits: [Bool]) -> UInt16 {
        bits.reduce(0xFFFF) { register, bit in
            let carry = (register & 0x8000 != 0) != bit
            return register << 1 ^ (carry ? 0x1021 : 0)
        }
    }
}
