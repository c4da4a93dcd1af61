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
        case .constant(let time): min(max(0, time.nanoseconds), Self.longest)
        case .uniform(let range):
            Self.between(range.lowerBound.nanoseconds, range.upperBound.nanoseconds, &entropy)
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
        rounded(Double(low) + entropy.fraction() * (Double(high) - Double(low)))
    }

    /// A year in nanoseconds, far from where sums of times overflow.
    static let longest: Int64 = 31_536_000_000_000_000

    private static func rounded(_ nanoseconds: Double) -> Int64 {
        Int64(min(max(0, nanoseconds), Double(longest)))
    }
}

extension EntropyStream {
    /// A number in 0..<1, of 53 random bits.
    mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}

extension Duration {
    /// Whole nanoseconds; clamped to about 292 years.
    var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
