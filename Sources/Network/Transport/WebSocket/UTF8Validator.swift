/// Checks text that comes in pieces, and finds an error with the byte that makes it one.
///
/// Cost: ASCII is skipped 64 bytes at a time.
package struct UTF8Validator: Sendable {
    /// Continuation bytes that the current character still needs.
    private var missing: UInt8 = 0
    /// What the next continuation byte may be: the first one after some lead bytes has a smaller range (Unicode 17,
    /// table 3-7), which excludes overlong forms, surrogates and what lies above U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    package init() {}

    /// Whether what was read so far ends with a whole character.
    package var isComplete: Bool { missing == 0 }

    /// Reads on; returns whether the text can still become valid.
    package mutating func read(_ bytes: RawSpan) -> Bool {
        var index = 0
        let count = bytes.byteCount
        while index < count {
            if missing == 0 {
                index = Self.endOfASCII(in: bytes, from: index)
                if index == count { return true }
                let lead = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
                guard start(lead) else { return false }
            } else {
                let byte = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
                guard byte >= lowest, byte <= highest else { return false }
                missing -= 1
                (lowest, highest) = (0x80, 0xBF)
            }
            index += 1
        }
        return true
    }

    private mutating func start(_ lead: UInt8) -> Bool {
        switch lead {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xE1...0xEC, 0xEE, 0xEF: missing = 2
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// The first place at or after `start` with a byte above 127, or the end.
    private static func endOfASCII(in bytes: RawSpan, from start: Int) -> Int {
        let count = bytes.byteCount
        var index = start
        // Within the span by the condition; the loads need no alignment.
        while index + 64 <= count {
            let low = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index,
                as: SIMD4<UInt64>.self
            )
            let high = unsafe bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: index + 32,
                as: SIMD4<UInt64>.self
            )
            let all = low | high
            if (all[0] | all[1] | all[2] | all[3]) & 0x8080_8080_8080_8080 != 0 { break }
            index += 64
        }
        while index + 8 <= count {
            let word = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
            if word & 0x8080_8080_8080_8080 != 0 { break }
            index += 8
        }
        while index < count, unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self) < 0x80 {
            index += 1
        }
        return index
    }
}
