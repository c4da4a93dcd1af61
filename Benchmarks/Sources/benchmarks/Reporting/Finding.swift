/// One line of the table.
struct Finding: Sendable, Codable {
    /// Names it for thresholds, scripts and comparison; stable.
    var id: String
    var unit: String
    var median: Double
    var lowest: Double
    var highest: Double
    var rounds: Int
    /// Why there is no figure; `nil` when there is one.
    var skipped: String?

    init(_ id: String, _ unit: String, _ samples: Samples) {
        self.id = id
        self.unit = unit
        median = samples.median
        lowest = samples.lowest
        highest = samples.highest
        rounds = samples.values.count
    }

    /// A figure that could not be had.
    init(_ id: String, _ unit: String, skipped reason: String) {
        self.init(id, unit, Samples())
        skipped = reason
    }

    /// What it should reach, if anything.
    var target: Target? { Targets.all[id] }

    /// Whether there is a figure, and it reaches its target.
    var isMet: Bool { skipped == nil && target?.accepts(median) ?? true }
}
