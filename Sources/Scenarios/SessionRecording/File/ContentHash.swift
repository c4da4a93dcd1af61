public import Services

/// A 64-bit hash of contents, equal in every process; not for hostile input.
public enum ContentHash {
    /// Hashes bytes, eight at a time.
    public static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash = 0x9e37_79b9_7f4a_7c15 ^ UInt64(bytes.count)
        var offset = 0
        while offset + 8 <= bytes.count {
            hash = unsafe mix(hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < bytes.count {
            rest = unsafe rest << 8 | UInt64(bytes[offset])
            offset += 1
        }
        return mix(hash ^ rest)
    }

    /// Hashes bytes.
    public static func of(_ bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe of($0) }
    }

    /// Hashes the UTF-8 of a text.
    static func of(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { unsafe of(UnsafeRawBufferPointer($0)) }
    }

    /// Hashes what a camera delivered.
    public static func of(_ content: VideoFrame.Content) -> UInt64 {
        switch content {
        case .jpeg(let bytes): of(bytes)
        case .pixels(let buffer): unsafe buffer.withBytes { unsafe of($0) }
        }
    }

    /// One round of the finaliser of SplitMix64, which spreads every bit.
    static func mix(_ value: UInt64) -> UInt64 {
        let z = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        let y = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return y ^ (y >> 31)
    }
}
