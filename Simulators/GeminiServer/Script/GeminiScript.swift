/// How a simulated Gemini behaves: what it says, and what goes wrong.
public struct GeminiScript: Sendable {
    /// Decides the replies.
    public var brain: any GeminiBrain
    /// What goes wrong, and when.
    public var faults: [GeminiFault]
    /// Handshakes that get this HTTP status instead of a connection, counted from 0.
    public var refusedHandshakes: [Int: Int]
    /// A wait before each message is read, as of a service under load.
    public var readDelay: Duration

    /// Makes a script; the default answers at a pleasant pace, and nothing goes wrong.
    public init(
        brain: any GeminiBrain = DescribingBrain(),
        faults: [GeminiFault] = [],
        refusedHandshakes: [Int: Int] = [:],
        readDelay: Duration = .zero
    ) {
        self.brain = brain
        self.faults = faults
        self.refusedHandshakes = refusedHandshakes
        self.readDelay = readDelay
    }
}
