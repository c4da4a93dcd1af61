import Synchronization
import Transport

/// What all sessions of a server share: the record and the handles.
final class SessionBook: Sendable {
    private struct Contents {
        var record = GeminiRecord()
        /// Where a session stands in the record, by its index.
        var places: [Int: Int] = [:]
        var ledger = ResumptionLedger()
        var budget: RecordBudget
    }

    private let contents: Mutex<Contents>
    /// Sessions whose lists are kept: the newest ones.
    private let kept: Int

    init(recordMemory: Int, kept: Int) {
        contents = Mutex(Contents(budget: RecordBudget(recordMemory)))
        self.kept = kept
    }

    var record: GeminiRecord { contents.withLock(\.record) }

    /// All sessions, oldest first.
    var sessions: ArraySlice<GeminiRecord.Session> { contents.withLock { $0.record.sessions[...] } }

    func countRequest() { contents.withLock { $0.record.requestCount += 1 } }

    /// The index of the next handshake.
    func countHandshake() -> Int {
        contents.withLock { contents in
            defer { contents.record.handshakeCount += 1 }
            return contents.record.handshakeCount
        }
    }

    /// What the handles stand for.
    var held: GeminiServer.Held { contents.withLock(\.ledger.held) }

    /// Notes a session, and empties the lists of one that is older than those that are kept.
    func begin(_ session: GeminiRecord.Session) {
        contents.withLock { contents in
            guard contents.record.sessions.count < GeminiRecord.longestList else { return }
            contents.places[session.index] = contents.record.sessions.count
            contents.record.sessions.append(session)
            let stale = contents.record.sessions.count - 1 - kept
            if kept < .max, contents.record.sessions.indices.contains(stale) {
                contents.record.sessions[stale].forgetLists(&contents.budget)
            }
        }
    }

    /// Changes the record of one session.
    func note(_ index: Int, _ change: (inout GeminiRecord.Session) -> Void) {
        contents.withLock { contents in
            if let place = contents.places[index] { change(&contents.record.sessions[place]) }
        }
    }

    /// Changes the texts and pictures of one session, within the bounds of all.
    func keep(_ index: Int, _ change: (inout GeminiRecord.Session, inout RecordBudget) -> Void) {
        contents.withLock { contents in
            if let place = contents.places[index] {
                change(&contents.record.sessions[place], &contents.budget)
            }
        }
    }

    func end(_ index: Int, _ close: WebSocketClose) {
        contents.withLock { contents in
            guard let place = contents.places[index] else { return }
            contents.record.sessions[place].close = close
            // It may have grown again, when others began while it was open.
            if place < contents.record.sessions.count - kept {
                contents.record.sessions[place].forgetLists(&contents.budget)
            }
        }
    }

    /// Reads or changes the handles.
    func withLedger<Result: Sendable>(
        _ body: (inout ResumptionLedger) throws(LiveRefusal) -> Result
    ) throws(LiveRefusal) -> Result {
        try contents.withLock { contents throws(LiveRefusal) in try body(&contents.ledger) }
    }
}
