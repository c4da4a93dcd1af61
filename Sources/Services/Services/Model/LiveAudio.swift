/// Sound: signed 16-bit samples, little-endian, of one channel.
public struct LiveAudio: Sendable, Hashable {
    /// The samples, two bytes each, the lower one first.
    public var pcm: [UInt8]
    /// Samples in a second: 16,000 is what services take best, 24,000 what they speak with.
    public var sampleRate: Int

    /// The rate at which sound is best sent.
    public static let inputRate = 16_000
    /// The rate at which services speak.
    public static let outputRate = 24_000
    /// Rates that are taken for real.
    public static let rates: ClosedRange<Int> = 8_000...192_000

    /// Makes a piece of sound.
    public init(pcm: [UInt8], sampleRate: Int = LiveAudio.inputRate) {
        self.pcm = pcm
        self.sampleRate = sampleRate
    }

    /// How long it lasts; zero for a rate that is none.
    public var duration: Duration {
        sampleRate > 0 ? .nanoseconds(Int64(pcm.count / 2) * 1_000_000_000 / Int64(sampleRate)) : .zero
    }

    /// Whether it holds whole samples, at a rate that can be.
    public var isWhole: Bool { pcm.count.isMultiple(of: 2) && Self.rates.contains(sampleRate) }
}
