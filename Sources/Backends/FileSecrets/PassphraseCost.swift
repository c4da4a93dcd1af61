/// How much work scrypt makes of a passphrase: for who opens the file once, and for who guesses a million times.
///
/// Source: RFC 7914, section 2.
public struct PassphraseCost: Sendable, Hashable {
    /// The binary logarithm of the number of rounds, N.
    public let rounds: UInt8
    /// The block size, r, in units of 128 bytes.
    public let blockSize: UInt8
    /// How many times the whole is done, p.
    public let parallelism: UInt8

    /// 128 MiB at once (N = 2^17, r = 8, p = 1), as OWASP's "Password Storage Cheat Sheet" asks for.
    public static let standard: PassphraseCost = PassphraseCost(rounds: 17, blockSize: 8, parallelism: 1)

    /// Memory that a file may ask for, in bytes, and with it time: twice the standard.
    static let mostMemory = 256 << 20

    /// The memory that it takes at most, in bytes; the time it takes is in proportion.
    public var memory: Int { (128 << Int(rounds)) * Int(blockSize) * Int(parallelism) }

    /// Makes a cost from its parts.
    ///
    /// - Precondition: It takes 1 MiB to 256 MiB, and 2^10 to 2^20 rounds.
    public init(rounds: UInt8, blockSize: UInt8, parallelism: UInt8) {
        precondition(
            Self.isAllowed(rounds, blockSize, parallelism),
            "a passphrase costs 1 MiB to 256 MiB, and 2^10 to 2^20 rounds"
        )
        (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
    }

    /// Makes a cost of what a file says; `nil` where that is not allowed.
    init?(stored rounds: UInt8, _ blockSize: UInt8, _ parallelism: UInt8) {
        guard Self.isAllowed(rounds, blockSize, parallelism) else { return nil }
        (self.rounds, self.blockSize, self.parallelism) = (rounds, blockSize, parallelism)
    }

    private static func isAllowed(_ rounds: UInt8, _ blockSize: UInt8, _ parallelism: UInt8) -> Bool {
        guard (10...20).contains(rounds), blockSize > 0, parallelism > 0 else { return false }
        let work = (1 << Int(rounds)) * Int(blockSize) * Int(parallelism)
        return (1 << 20...mostMemory).contains(128 * work)
    }
}
