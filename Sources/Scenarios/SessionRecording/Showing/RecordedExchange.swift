public import Transport

/// An HTTP request of a recording, and what came of it.
public struct RecordedExchange: Sendable {
    /// A head as it was recorded, without secrets.
    public struct Head: Sendable {
        /// Method and address, or the status.
        public var line: String
        /// The fields in order, their names in lower case.
        public var fields: [(name: String, value: String)]

        /// The value of the first field of that name in lower case.
        public func value(of name: String) -> String? { fields.first { $0.name == name }?.value }

        init(_ text: String) {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            line = lines.first.map(String.init) ?? ""
            fields = lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].drop { $0 == " " }
                return (String(line[..<colon]), String(value))
            }
        }
    }

    /// An answer.
    public struct Answer: Sendable {
        /// Its head.
        public var head: Head
        /// When the head had arrived, in nanoseconds since the session's start.
        public var nanoseconds: Int64
        /// Its body, as far as it was read.
        public var body: [UInt8] = []

        /// The status; 0 where the recording has none.
        public var status: Int { Int(head.line.prefix { $0.isNumber }) ?? 0 }
    }

    /// The number of the connection.
    public var connection: Int
    /// The head of the request.
    public var head: Head
    /// Its body, as far as it was sent.
    public var body: [UInt8] = []
    /// When it was begun, in nanoseconds since the session's start.
    public var started: Int64
    /// When its body was sent; `nil` where that was not complete.
    public var sent: Int64?
    /// The answer; `nil` where none has arrived.
    public var answer: Answer?
    /// Why it failed; `nil` where it did not.
    public var failure: TransportError?
    /// When the last of it was recorded.
    public var ended: Int64

    /// The method, such as `GET`.
    public var method: String { String(head.line.prefix { $0 != " " }) }
    /// The whole address, without user information.
    public var address: String { String(head.line.drop { $0 != " " }.dropFirst()) }
}

extension SessionReader {
    /// The request of an `http` connection, and what came of it; `nil` for another kind, and where it has no head.
    ///
    /// - Throws: `damaged`.
    public func exchange(_ connection: Int) throws(SessionError) -> RecordedExchange? {
        var exchange: RecordedExchange?
        for message in try messages(of: connection) {
            exchange?.ended = message.nanoseconds
            switch (message.direction, message.kind) {
            case (.out, .head):
                guard exchange == nil else { break }
                exchange = RecordedExchange(
                    connection: connection,
                    head: RecordedExchange.Head(String(decoding: message.bytes, as: UTF8.self)),
                    started: message.nanoseconds,
                    ended: message.nanoseconds
                )
            case (.out, .body): exchange?.body += message.bytes
            case (.out, .end): exchange?.sent = message.nanoseconds
            case (.in, .head):
                exchange?.answer = RecordedExchange.Answer(
                    head: RecordedExchange.Head(String(decoding: message.bytes, as: UTF8.self)),
                    nanoseconds: message.nanoseconds
                )
            case (.in, .body): exchange?.answer?.body += message.bytes
            case (_, .failure): exchange?.failure = message.failure
            default: break
            }
        }
        return exchange
    }
}
