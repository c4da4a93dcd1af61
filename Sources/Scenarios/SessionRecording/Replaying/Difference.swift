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
        var lateness: Int64 = 0
        var next: [Difference] = []
    }

    /// What a recorded program may have been late beyond what is known of it, in nanoseconds.
    private static let slack: Int64 = 1_000_000_000
    /// How much is kept of what a replay does beyond its recording.
    private static let mostNext = 100

    private let cut: Int64?
    private let state = Mutex(State())

    /// Makes an empty comparison.
    ///
    /// - Parameter cut: The time of the last thing in a recording that was cut off, in nanoseconds since its start; `nil` for a whole one.
    public init(cutAt cut: Int64? = nil) { self.cut = cut }

    /// How many things were compared.
    public var compared: Int { state.withLock { $0.compared } }

    /// The first difference, or `nil` when all was the same.
    public var firstDifference: Difference? { state.withLock { $0.first } }

    /// Whether the recording was cut off.
    var isCutOff: Bool { cut != nil }

    /// What the replay has done where the recording was cut off, and goes on in it, as far as it is kept; oldest first.
    public var next: [Difference] { state.withLock { $0.next } }

    /// How much later than in the replay something may stand in the recording, in nanoseconds.
    ///
    /// A replay computes in no time. The recorded program needed some, at most as much as it did for what was compared, and a second more.
    public var lateness: Int64 { state.withLock { $0.lateness } + Self.slack }

    func same() { state.withLock { $0.compared += 1 } }

    /// Something is the same that was recorded so much later than it was replayed, in nanoseconds.
    func same(after lateness: Int64) {
        state.withLock { state in
            state.compared += 1
            state.lateness = max(state.lateness, lateness)
        }
    }

    /// The replay does something where the recording has nothing more: a difference, unless the recording was cut off just then.
    ///
    /// - Returns: Whether it is a difference.
    @discardableResult
    func exceeds(_ difference: Difference) -> Bool {
        guard let cut, difference.nanoseconds >= cut - lateness else {
            differs(difference)
            return true
        }
        state.withLock { if $0.next.count < Self.mostNext { $0.next.append(difference) } }
        return false
    }

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
