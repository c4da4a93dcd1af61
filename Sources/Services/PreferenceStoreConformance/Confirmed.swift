import Synchronization

/// How far a program had come when it ended.
final class Confirmed: Sendable {
    private let state: Mutex<(done: Int, begun: Int)>

    /// Begins after a change that is there.
    init(_ number: Int) { state = Mutex((number, number)) }

    /// The last change that was confirmed, and the last that was begun.
    var numbers: (done: Int, begun: Int) { state.withLock { $0 } }

    func begin(_ number: Int) { state.withLock { $0.begun = number } }
    func finish(_ number: Int) { state.withLock { $0.done = number } }
}
