/// Speech that was heard: how long and how loud, for what was said is beyond a simulation.
public struct GeminiSpeech: Sendable, Hashable {
    /// Its length in milliseconds, pauses within it left out.
    public private(set) var milliseconds = 0
    private var energy = 0.0

    /// No speech.
    init() {}

    /// The effective level (root mean square), from 0 to 1 for a full square wave.
    public var level: Double { milliseconds == 0 ? 0 : (energy / Double(milliseconds)).squareRoot() }

    mutating func add(level: Double, milliseconds: Int) {
        self.milliseconds += milliseconds
        energy += level * level * Double(milliseconds)
    }

    mutating func add(_ pcm: [UInt8], rate: Int) {
        guard rate > 0, pcm.count >= 2 else { return }
        add(level: Self.level(of: pcm[...]), milliseconds: max(1, pcm.count / 2 * 1000 / rate))
    }

    /// The effective level of samples of 16 bits, the lower byte first.
    static func level(of pcm: ArraySlice<UInt8>) -> Double {
        var sum = 0.0
        var index = pcm.startIndex
        while index + 1 < pcm.endIndex {
            let sample = Double(Int16(bitPattern: UInt16(pcm[index]) | UInt16(pcm[index + 1]) << 8)) / 32768
            sum += sample * sample
            index += 2
        }
        let count = pcm.count / 2
        return count == 0 ? 0 : (sum / Double(count)).squareRoot()
    }
}
