import Synchronization
import Transport

/// What all sessions of a server share: the record and the handles.
final class SessionBook: Sendable {
    private struct Contents {
        var record = GeminiRecord()
        /// Where a session stands in the record, by its index.
        var places: [Int: Int] = [:]
        var ledger = ResumptionLedger()
    }

    private let contents = Mutex(Contents())

    var record: GeminiRecord { contents.withLock(\.record) }

    func countRequest() { contents.withLock { $0.record.requestCount += 1 } }

    /// The index of the next handshake.
    func countHandshake() -> Int {
        contents.withLock { contents in
            defer { contents.record.handshakeCount += 1 }
            return contents.record.handshakeCount
        }
    }

    func begin(_ session: GeminiRecord.Session) {
        contents.withLock { contents in
            guard contents.record.sessions.count < GeminiRecord.longestList else { return }
            contents.places[session.index] = contents.record.sessions.count
            contents.record.sessions.append(session)
        }
    }

    /// Changes the record of one session.
    func note(_ index: Int, _ change: (inout GeminiRecord.Session) -> Void) {
        contents.withLock { contents in
            if let place = contents.places[index] { change(&contents.record.sessions[place]) }
        }
    }

    func end(_ index: Int, _ close: WebSocketClose) {
        note(index) { $0.close = close }
    }

    /// Reads or changes the handles.
    func withLedger<Result: Sendable>(
        _ body: (inout ResumptionLedger) throws(LiveRefusal) -> Result
    ) throws(LiveRefusal) -> Result {
        try contents.withLock { contents throws(LiveRefusal) in try body(&contents.ledger) }
    }
}
