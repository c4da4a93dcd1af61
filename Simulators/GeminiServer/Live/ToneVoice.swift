import Foundation

/// Speaks in tones: as long as somebody would need to say the words, and in pieces of bounded size.
struct ToneVoice: Sendable {
    /// Samples in a second, as the service speaks.
    static let rate = 24_000
    /// What a message of sound is called.
    static let mimeType = "audio/pcm;rate=24000"
    /// Characters that are said in a second.
    private static let charactersPerSecond = 15
    /// Samples of the longest piece: a tenth of a second, 4,800 bytes.
    private static let pieceSamples = 2_400
    private static let amplitude = 8_000.0

    private let frequency: Double
    private var sample = 0

    /// - Parameter name: The voice: each has a pitch of its own.
    init(name: String) {
        let sum = name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 12 }
        frequency = 220 * pow(2, Double(sum) / 12)
    }

    /// How long a sample count lasts.
    static func duration(samples: Int) -> Duration {
        .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(rate))
    }

    /// Says a text: samples of 16 bits, the lower byte first, in pieces of a tenth of a second at most.
    mutating func say(_ text: String) -> [[UInt8]] {
        var left = text.count * Self.rate / Self.charactersPerSecond
        var pieces: [[UInt8]] = []
        while left > 0 {
            let count = min(left, Self.pieceSamples)
            pieces.append(piece(count))
            left -= count
        }
        return pieces
    }

    private mutating func piece(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 2)
        for _ in 0..<count {
            let angle = 2 * Double.pi * frequency * Double(sample) / Double(Self.rate)
            let value = UInt16(bitPattern: Int16(sin(angle) * Self.amplitude))
            bytes.append(UInt8(truncatingIfNeeded: value))
            bytes.append(UInt8(truncatingIfNeeded: value >> 8))
            sample = (sample + 1) % Self.rate
        }
        return bytes
    }
}
