import Foundation
import Simulation

/// How long messages of a link are on their way.
public enum LatencyDistribution: Sendable, Hashable {
    /// Always the same.
    case constant(Duration)
    /// Every time in the range is as likely as any other.
    case uniform(ClosedRange<Duration>)
    /// Mostly short, sometimes very long.
    case exponential(mean: Duration)
    /// A bell around the mean; times below zero become zero.
    case normal(mean: Duration, deviation: Duration)

    /// Draws one time in nanoseconds, at least zero; constants draw nothing.
    func sample(_ entropy: inout EntropyStream) -> Int64 {
        switch self {
        case .constant(let time): max(0, time.nanoseconds)
        case .uniform(let range):
            max(0, Self.between(range.lowerBound.nanoseconds, range.upperBound.nanoseconds, &entropy))
        case .exponential(let mean):
            // The inverse of the distribution function; 1 − u is never zero.
            Self.rounded(-log(1 - entropy.fraction()) * Double(mean.nanoseconds))
        case .normal(let mean, let deviation):
            // Box and Muller, A Note on the Generation of Random Normal Deviates, 1958.
            Self.rounded(
                Double(mean.nanoseconds) + Double(deviation.nanoseconds)
                    * (-2 * log(1 - entropy.fraction())).squareRoot() * cos(2 * .pi * entropy.fraction())
            )
        }
    }

    private static func between(_ low: Int64, _ high: Int64, _ entropy: inout EntropyStream) -> Int64 {
        low + rounded(entropy.fraction() * Double(high - low))
    }

    /// Whole nanoseconds, at least zero and at most a century.
    private static func rounded(_ nanoseconds: Double) -> Int64 {
        Int64(min(max(0, nanoseconds), 3.15e18))
    }
}

extension EntropyStream {
    /// A number in 0..<1, of 53 random bits.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Whether an event of this probability happens; impossible events draw nothing.
    mutating func happens(_ probability: Double) -> Bool {
        probability > 0 && fraction() < probability
    }
}

extension Duration {
    /// Whole nanoseconds; clamped to about 292 years.
    var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
