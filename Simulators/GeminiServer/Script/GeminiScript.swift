/// What a simulated Gemini says; what goes wrong at it is armed at its fault points.
public struct GeminiScript: Sendable {
    /// Decides the replies.
    public var brain: any GeminiBrain

    /// Makes a script; the default answers at a pleasant pace.
    public init(brain: any GeminiBrain = DescribingBrain()) { self.brain = brain }
}
