public import Services

/// A frame's number and capture time as black and white cells across the top of the picture.
///
/// 96 bits in 24 columns and 4 rows, most significant bit first, row by row: a mark of 4 bits, the number (32),
/// the capture time in microseconds (44), and CRC-16/CCITT-FALSE over those 80 (polynomial 0x1021, start 0xFFFF).
/// A column of reference cells on either side, white in even rows and black in odd ones, gives the threshold.
/// Cells are 1/26 of the width, at most 1/6 of the height: relative, so that they are found at any scale.
public struct FrameCode: Sendable, Hashable {
    /// The frame's number, modulo 2³².
    public var sequence: Int
    /// When the shutter opened since the camera connected, in whole microseconds, modulo 2⁴⁴ (203 days).
    public var captureTime: Duration

    /// Creates a code; values beyond their ranges wrap around.
    public init(sequence: Int, captureTime: Duration) {
        self.sequence = sequence & 0xFFFF_FFFF
        let microseconds = (captureTime.nanoseconds / 1_000) & 0xFFF_FFFF_FFFF
        self.captureTime = .microseconds(microseconds)
    }

    /// The smallest picture in which the code survives JPEG quality 10: cells of 6 pixels.
    public static let minimumSize = PixelSize(width: 160, height: 90)
}

extension FrameCode {
    /// Tells an empty or foreign picture from a code even before the CRC.
    private static let mark: UInt64 = 0b1010

    /// The 96 bits, first cell first.
    var bits: [Bool] {
        let time = UInt64(truncatingIfNeeded: captureTime.nanoseconds / 1_000)
        var bits: [Bool] = []
        func append(_ value: UInt64, _ count: Int) {
            for shift in stride(from: count - 1, through: 0, by: -1) {
                bits.append(value >> UInt64(shift) & 1 == 1)
            }
        }
        append(Self.mark, 4)
        append(UInt64(truncatingIfNeeded: sequence), 32)
        append(time, 44)
        append(UInt64(Self.checksum(bits)), 16)
        return bits
    }

    /// Reads 96 bits; `nil` when mark or CRC are wrong.
    init?(bits: [Bool]) {
        guard bits.count == FrameCodeGrid.columns * FrameCodeGrid.rows else { return nil }
        func value(_ range: Range<Int>) -> UInt64 {
            bits[range].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        }
        guard value(0..<4) == Self.mark, value(80..<96) == Self.checksum(Array(bits[..<80])) else {
            return nil
        }
        self.init(sequence: Int(value(4..<36)), captureTime: .microseconds(Int64(value(36..<80))))
    }

    private static func checksum(_ bits: [Bool]) -> UInt16 {
        bits.reduce(0xFFFF) { register, bit in
            let carry = (register & 0x8000 != 0) != bit
            return register << 1 ^ (carry ? 0x1021 : 0)
        }
    }
}
