import CSimulation

/// A stream of random numbers with a name.
///
/// Streams of different names are independent: drawing from one never shifts another. The stream of a seed and a
/// name is the same in every process.
public struct EntropyStream: RandomNumberGenerator, Sendable {
    private var stream: csim_stream
    private let label: String
    /// Where a simulation draws its chance from; `nil` for a stream of a seed alone.
    private let chance: Chance?
    /// The generation of ``chance`` to which the stream belongs.
    private var generation = 0

    /// Starts the stream that `seed` and `label` name.
    public init(seed: UInt64, label: String) {
        self.label = label
        chance = nil
        stream = unsafe csim_make_stream(seed, label)
    }

    /// Starts a stream that begins again where its simulation branches.
    init(_ chance: Chance, label: String) {
        self.label = label
        self.chance = chance
        generation = chance.generation
        stream = unsafe csim_make_stream(chance.seed, label)
    }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 {
        if let chance, chance.generation != generation {
            generation = chance.generation
            stream = unsafe csim_make_stream(chance.seed, label)
        }
        return unsafe csim_draw_for_world(&stream)
    }
}

/// The seed of all that is drawn from here on in a simulation.
final class Chance: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread on which its simulation is current.

    /// The seed of the simulation, until it branches.
    private(set) var seed: UInt64
    /// How often it has branched.
    private(set) var generation = 0

    init(seed: UInt64) { self.seed = seed }

    /// Begins another future.
    func branch(to seed: UInt64) {
        self.seed = seed
        generation += 1
    }
}
