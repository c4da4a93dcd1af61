import GeminiServer
import Synchronization

/// What a brain of a test was asked.
final class KeptTurns: Sendable {
    private let turns = Mutex<[GeminiTurn]>([])

    var all: [GeminiTurn] { turns.withLock { $0 } }

    func keep(_ turn: GeminiTurn) { turns.withLock { $0.append(turn) } }
}
