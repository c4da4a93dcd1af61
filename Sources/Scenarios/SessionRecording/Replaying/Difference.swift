import Synchronization

/// Something that a replay did otherwise than the recording.
public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// Virtual time of the replay, in nanoseconds since the start.
    public var nanoseconds: Int64
    /// What is compared: `connection 2 (websocket), message 17 out`.
    public var place: String
    /// What the recording has.
    public var recorded: String
    /// What the replay did.
    public var replayed: String

    /// All of it in three lines.
    public var description: String {
        let time = Double(nanoseconds) / 1_000_000_000
        return "at \(time) s, \(place):\n  recorded  \(recorded)\n  replayed  \(replayed)"
    }
}

/// Collects what a replay compared, and the first thing that differed.
public final class Comparison: Sendable {
    private struct State {
        var compared = 0
        var first: Difference?
    }

    private let state = Mutex(State())

    /// Makes an empty comparison.
    public init() {}

    /// How many things were compared.
    public var compared: Int { state.withLock { $0.compared } }

    /// The first difference, or `nil` when all was the same.
    public var firstDifference: Difference? { state.withLock { $0.first } }

    func same() { state.withLock { $0.compared += 1 } }

    func differs(_ difference: Difference) {
        state.withLock { state in
            state.compared += 1
            if state.first == nil { state.first = difference }
        }
    }
}

/// A short rendering of bytes around the place where two differ.
func excerpt(_ bytes: [UInt8], around index: Int) -> String {
    let start = max(0, index - 20)
    let end = min(bytes.count, index + 40)
    guard start < end else { return "\(bytes.count) bytes" }
    let text = bytes[start..<end].map { byte in
        (0x20...0x7e).contains(byte) ? String(UnicodeScalar(byte)) : "·"
    }
    return "\(bytes.count) bytes, from \(start): \(text.joined())"
}
