import Transport

/// Writes down what crosses one connection.
struct ConnectionLog: Sendable {
    /// Ends with the last copy of the log: nothing crosses the connection after that.
    private final class Connection: Sendable {
        let number: Int
        let writer: SessionWriter

        init(kind: String, writer: SessionWriter) {
            number = writer.openConnection(kind: kind)
            self.writer = writer
        }

        deinit { writer.closeConnection(number) }
    }

    private let connection: Connection
    private let clock: SessionClock

    init(kind: String, writer: SessionWriter, clock: SessionClock) {
        connection = Connection(kind: kind, writer: writer)
        self.clock = clock
    }

    func note(_ direction: RecordedMessage.Direction, _ kind: RecordedMessage.Kind, _ bytes: [UInt8]) {
        connection.writer.add(
            RecordedMessage(
                connection: connection.number,
                direction: direction,
                kind: kind,
                nanoseconds: clock.nanoseconds,
                bytes: bytes
            )
        )
    }

    func note(_ direction: RecordedMessage.Direction, _ kind: RecordedMessage.Kind, _ text: String) {
        note(direction, kind, Array(text.utf8))
    }

    func note(_ direction: RecordedMessage.Direction, _ error: TransportError) {
        note(direction, .failure, TransportErrorCoding.bytes(of: error))
    }

    /// The same body, written down as it is read.
    ///
    /// It can be read once, also when the original can be read again: a recording has each byte that was sent once.
    func copying(_ body: HTTPBody, _ direction: RecordedMessage.Direction) -> HTTPBody {
        switch body {
        case .empty:
            note(direction, .end, [])
            return .empty
        case .bytes(let bytes):
            note(direction, .body, bytes)
            note(direction, .end, [])
            return body
        case .repeatable: return copying(body.readOnce, direction)
        case .stream(let stream, let length):
            let source = StreamReader(stream)
            let copy = ByteStream { () async throws(TransportError) -> [UInt8]? in
                do throws(TransportError) {
                    let chunk = try await source.next()
                    if let chunk { note(direction, .body, chunk) } else { note(direction, .end, []) }
                    return chunk
                } catch {
                    note(direction, error)
                    throw error
                }
            }
            return .stream(copy, length: length)
        }
    }
}
