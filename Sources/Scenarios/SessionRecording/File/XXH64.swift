/// XXH64, a hash without secrets that reads four words at once.
///
/// Source: "xxHash fast digest algorithm", version 0.1.1 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md).
enum XXH64 {
    // "Primes" of the specification.
    private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
    private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
    private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
    private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
    private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

    /// Hashes bytes, with seed 0.
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var offset = 0
        var hash = prime5
        if bytes.count >= 32 {
            var (one, two, three, four) = (prime1 &+ prime2, prime2, 0 as UInt64, 0 &- prime1)
            while offset + 32 <= bytes.count {
                one = unsafe round(one, word(bytes, offset))
                two = unsafe round(two, word(bytes, offset + 8))
                three = unsafe round(three, word(bytes, offset + 16))
                four = unsafe round(four, word(bytes, offset + 24))
                offset += 32
            }
            hash = rotated(one, 1) &+ rotated(two, 7) &+ rotated(three, 12) &+ rotated(four, 18)
            for lane in [one, two, three, four] {
                hash = (hash ^ round(0, lane)) &* prime1 &+ prime4
            }
        }
        hash &+= UInt64(bytes.count)
        while offset + 8 <= bytes.count {
            hash ^= unsafe round(0, word(bytes, offset))
            hash = rotated(hash, 27) &* prime1 &+ prime4
            offset += 8
        }
        if offset + 4 <= bytes.count {
            let half = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            hash ^= UInt64(UInt32(littleEndian: half)) &* prime1
            hash = rotated(hash, 23) &* prime2 &+ prime3
            offset += 4
        }
        while offset < bytes.count {
            hash ^= unsafe UInt64(bytes[offset]) &* prime5
            hash = rotated(hash, 11) &* prime1
            offset += 1
        }
        hash = (hash ^ (hash >> 33)) &* prime2
        hash = (hash ^ (hash >> 29)) &* prime3
        return hash ^ (hash >> 32)
    }

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value << bits | value >> (64 - bits)
    }
}
