/// One figure of several rounds.
struct Samples: Sendable {
    private(set) var values: [Double] = []

    init(_ values: [Double] = []) { self.values = values }

    mutating func add(_ value: Double) { values.append(value) }

    /// The middle one, or the mean of the two in the middle; 0 without rounds.
    var median: Double {
        let sorted = values.sorted()
        guard let last = sorted.last else { return 0 }
        let half = sorted.count / 2
        return sorted.count == 1
            ? last : sorted.count.isMultiple(of: 2) ? (sorted[half - 1] + sorted[half]) / 2 : sorted[half]
    }

    var lowest: Double { values.min() ?? 0 }
    var highest: Double { values.max() ?? 0 }

    /// Each round's value divided by the other's of the same round: what both share of the machine's mood cancels out.
    func divided(by other: Samples) -> Samples { Samples(zip(values, other.values).map { $0 / $1 }) }
}

/// Runs two things in turn, so that both see the same machine: a warm-up of each, then A, B, A, B and so on.
func alternate(rounds: Int, _ first: () async throws -> Double, _ second: () async throws -> Double)
    async rethrows
    -> (first: Samples, second: Samples)
{
    var result = (first: Samples(), second: Samples())
    for round in 0...rounds {
        let (a, b) = (try await first(), try await second())
        guard round > 0 else { continue }
        result.first.add(a)
        result.second.add(b)
    }
    return result
}

/// Runs one thing after a warm-up.
func repeated(rounds: Int, _ body: () throws -> Double) rethrows -> Samples {
    _ = try body()
    return Samples(try (0..<rounds).map { _ in try body() })
}
