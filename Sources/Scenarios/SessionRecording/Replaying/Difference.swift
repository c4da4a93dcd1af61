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
        var next: [Difference] = []
        var isPaused = false
    }

    /// How much is kept of what a replay does beyond its recording.
    private static let mostNext = 100

    /// Whether the recording was cut off: then it says nothing about what came after the last that it has.
    let isCutOff: Bool
    private let state = Mutex(State())

    /// Makes an empty comparison.
    public init(isCutOff: Bool = false) { self.isCutOff = isCutOff }

    /// How many things were compared.
    public var compared: Int { state.withLock { $0.compared } }

    /// The first difference, or `nil` when all was the same.
    public var firstDifference: Difference? { state.withLock { $0.first } }

    /// What the replay has done beyond what a recording has that was cut off, as far as it is kept; oldest first.
    ///
    /// A replay computes in no time, and the recorded program may have needed much: so some of it may come before the time of the cut.
    public var next: [Difference] { state.withLock { $0.next } }

    /// Compares nothing from now on: what a program does while it is stopped does not count.
    public func pause() { state.withLock { $0.isPaused = true } }

    /// Compares again.
    public func resume() { state.withLock { $0.isPaused = false } }

    func same() { state.withLock { if !$0.isPaused { $0.compared += 1 } } }

    /// The replay does something where the recording has nothing more of the kind: a difference, unless the recording was cut off.
    ///
    /// - Returns: Whether it is a difference.
    @discardableResult
    func exceeds(_ difference: Difference) -> Bool {
        guard isCutOff else {
            differs(difference)
            return true
        }
        state.withLock { state in
            if state.next.count < Self.mostNext, !state.isPaused { state.next.append(difference) }
        }
        return false
    }

    func differs(_ difference: Difference) {
        state.withLock { state in
            guard !state.isPaused else { return }
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
