/// The bytes of JSON texts that stand for themselves: all but control characters, quotes and backslashes.
///
/// Large texts, such as pictures in base64, are looked over 64 bytes at a time.
enum JSONText {
    /// Where the bytes from `start` on that stand for themselves end.
    static func endOfPlain(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var position = start
        // Blocks of a fixed size: the compiler looks at several words with one instruction.
        while position + 64 <= bytes.count {
            var found: UInt64 = 0
            for offset in 0..<8 {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: position + 8 * offset, as: UInt64.self)
                found |= specials(word)
            }
            guard found == 0 else { break }
            position += 64
        }
        while position + 8 <= bytes.count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            guard specials(word) == 0 else { break }
            position += 8
        }
        while position < bytes.count, unsafe isPlain(bytes[position]) { position += 1 }
        return position
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// Not zero where one of eight bytes is a control character, a quote or a backslash.
    ///
    /// Subtracting from each byte borrows into its top bit; bytes with that bit set already are no ASCII.
    /// Source: S. E. Anderson, "Bit Twiddling Hacks", hasless and haszero.
    private static func specials(_ word: UInt64) -> UInt64 {
        let (ones, tops) = (0x0101_0101_0101_0101 as UInt64, 0x8080_8080_8080_8080 as UInt64)
        func hasLess(_ word: UInt64, than limit: UInt64) -> UInt64 { (word &- ones &* limit) & ~word & tops }
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        return hasLess(word, than: 0x20) | hasLess(quotes, than: 1) | hasLess(backslashes, than: 1)
    }
}
