public import Simulation
public import Transport

/// One thing that a recording has, of whatever kind, for those who look through all of it.
public struct SessionEntry: Sendable, Hashable {
    /// What it is.
    public enum Content: Sendable, Hashable {
        /// Something that crossed a connection of that kind: `http`, `websocket`, `udp`, `interfaces` or `lookup`.
        case message(RecordedMessage, on: String)
        /// A capture of the camera.
        case capture(RecordedLook)
        /// A state of a screen, or an action on it.
        case screen(RecordedScreen)
        /// An event of the simulated world.
        case event(TraceEvent)
    }

    /// Which one it is.
    public var id: ID
    /// What it is; of bytes and texts the beginning, where no more was asked for.
    public var content: Content
    /// How long its bytes or its text are in the recording; 0 for a capture.
    public var byteCount: Int
    /// Whether all that it says was read and is one JSON value (RFC 8259), as SQLite's `json_valid` has it.
    public var isJSON: Bool

    /// When it was complete, in nanoseconds since the session's start.
    public var nanoseconds: Int64 {
        switch content {
        case .message(let message, _): message.nanoseconds
        case .capture(let look): look.nanoseconds
        case .screen(let screen): screen.nanoseconds
        case .event(let event): event.nanoseconds
        }
    }

    /// Where it was, such as `http 3`, `camera`, `screen chat` or `node phone`.
    ///
    /// Connections are numbered from 0 in order of opening.
    public var place: String {
        switch content {
        case .message(let message, let kind): "\(kind) \(message.connection)"
        case .capture: "camera"
        case .screen(let screen): "screen \(screen.screen)"
        case .event(let event): "node \(event.node)"
        }
    }

    /// Whether it says that something went wrong: an operation that failed and was not cancelled, an answer of 400 or more, or a
    /// conversation that was not closed with 1000 or 1001.
    public var isFailure: Bool {
        guard case .message(let message, _) = content else { return false }
        switch message.kind {
        case .failure: return message.failure?.code != .cancelled
        case .head where message.direction == .in: return ["4", "5"].contains(message.firstWord.first)
        case .close: return !message.bytes.isEmpty && !["1000", "1001"].contains(message.firstWord)
        default: return false
        }
    }
}

extension RecordedMessage {
    /// The reason of a failed operation; `nil` for any other message.
    public var failure: TransportError? {
        guard kind == .failure else { return nil }
        // That of a datagram socket begins with the number of what was done.
        return TransportErrorCoding.error(from: Array(bytes.drop { $0 != UInt8(ascii: "{") }))
    }

    fileprivate var firstWord: String {
        String(decoding: bytes.prefix(8).prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    }
}

extension SessionEntry {
    /// The name of an entry in its recording, such as `m57`.
    public struct ID: Sendable, Hashable, LosslessStringConvertible {
        /// The table that has it.
        enum Table: String, CaseIterable {
            case message = "m"
            case capture = "c"
            case screen = "s"
            case event = "e"
        }

        let table: Table
        let row: Int64

        init(_ table: Table, _ row: Int64) { (self.table, self.row) = (table, row) }

        /// Reads a name; `nil` for anything but `m`, `c`, `s` or `e` and a number.
        public init?(_ description: String) {
            guard let table = Table(rawValue: String(description.prefix(1))),
                let row = Int64(description.dropFirst()), row >= 0
            else { return nil }
            self.init(table, row)
        }

        /// The name.
        public var description: String { "\(table.rawValue)\(row)" }
    }
}

extension SessionEntry {
    /// The same as ``isFailure``, as SQL on a row of the table of messages.
    ///
    /// Of an AND, SQLite computes both sides, which would read the bytes of all rows; CASE reads those of the rows that are looked at.
    static let failureCondition = """
        CASE kind
        WHEN 'failure' THEN instr(bytes, CAST('"code":"cancelled"' AS BLOB)) = 0
        WHEN 'head' THEN direction = 'in' AND substr(bytes, 1, 1) IN (x'34', x'35')
        WHEN 'close' THEN length(bytes) > 0
            AND CAST(substr(bytes, 1, 5) AS TEXT) NOT IN ('1000', '1000 ', '1001', '1001 ')
        ELSE 0 END
        """
}
