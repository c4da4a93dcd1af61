/// A kind of harm.
public enum HarmCategory: String, Sendable, Hashable, CaseIterable {
    case harassment, hateSpeech, sexuallyExplicit, dangerous, civicIntegrity
    /// A kind that is not known here; never sent.
    case unknown
}

/// From which probability of harm on something is not let through.
public enum HarmThreshold: String, Sendable, Hashable, CaseIterable {
    case low, medium, high
    /// Everything is let through; what the service finds is still told.
    case nothing
    /// Everything is let through, and nothing is looked for.
    case off
}

/// How probable a kind of harm is.
public struct SafetyRating: Sendable, Hashable {
    /// How probable it is.
    public enum Probability: String, Sendable, Hashable, CaseIterable {
        case negligible, low, medium, high, unknown
    }

    /// The kind.
    public var category: HarmCategory
    /// How probable it is.
    public var probability: Probability
    /// Whether it was the reason not to let something through.
    public var isBlocking: Bool

    /// Makes a rating.
    public init(category: HarmCategory, probability: Probability, isBlocking: Bool = false) {
        self.category = category
        self.probability = probability
        self.isBlocking = isBlocking
    }
}
