import Foundation

extension UUID {
    /// A random one (RFC 9562, version 4), as `UUID()` makes it.
    ///
    /// `UUID()` opens, reads and closes the random device each time, which takes longer than all else that is done in Swift for a new entry.
    static func drawn() -> UUID {
        var system = SystemRandomNumberGenerator()
        let (first, second) = (system.next(), system.next())
        func byte(_ word: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * index)) }
        return UUID(
            uuid: (
                byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3), byte(first, 4),
                byte(first, 5),
                byte(first, 6) & 0x0f | 0x40, byte(first, 7), byte(second, 0) & 0x3f | 0x80, byte(second, 1),
                byte(second, 2), byte(second, 3), byte(second, 4), byte(second, 5), byte(second, 6),
                byte(second, 7)
            )
        )
    }
}
