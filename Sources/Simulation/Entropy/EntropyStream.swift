import CSimulation

/// A stream of random numbers with a name.
///
/// Streams of different names are independent: drawing from one never shifts another. The stream of a seed and a
/// name is the same in every process.
public struct EntropyStream: RandomNumberGenerator, Sendable {
    private var stream: csim_stream

    /// Starts the stream that `seed` and `label` name.
    public init(seed: UInt64, label: String) {
        stream = unsafe csim_make_stream(seed, label)
    }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 { unsafe csim_draw(&stream) }
}
