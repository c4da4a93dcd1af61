public import Services

/// A 64-bit hash of contents, equal in every process; not for hostile input.
public enum ContentHash: Sendable {
    /// XXH64 with seed 0, as recordings have it from version 6 on.
    case xxh64
    /// Eight bytes after eight bytes, each with the finaliser of SplitMix64: as recordings up to version 5 have it.
    case serial

    /// The hash of what is recorded now.
    public static let current: ContentHash = .xxh64

    /// The hash that recordings of a version have.
    static func ofRecordings(version: Int) -> ContentHash { version >= 6 ? .xxh64 : .serial }

    /// Hashes bytes.
    public func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        switch self {
        case .xxh64: unsafe XXH64.hash(bytes)
        case .serial: unsafe Self.serially(bytes)
        }
    }

    /// Hashes bytes.
    public func callAsFunction(_ bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe self($0) }
    }

    /// Hashes the UTF-8 of a text.
    func callAsFunction(_ text: String) -> UInt64 {
        var text = text
        return text.withUTF8 { unsafe self(UnsafeRawBufferPointer($0)) }
    }

    /// Hashes what a camera delivered.
    public func callAsFunction(_ content: VideoFrame.Content) -> UInt64 {
        switch content {
        case .jpeg(let bytes): self(bytes)
        case .pixels(let buffer): unsafe buffer.withBytes { unsafe self($0) }
        }
    }

    private static func serially(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
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

    /// One round of the finaliser of SplitMix64, which spreads every bit.
    static func mix(_ value: UInt64) -> UInt64 {
        let z = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        let y = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return y ^ (y >> 31)
    }
}
