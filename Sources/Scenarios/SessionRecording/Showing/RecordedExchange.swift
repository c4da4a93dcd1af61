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

extension RecordedExchange {
    /// Reads the messages of an `http` connection, or of a `websocket`, of which it has the handshake.
    ///
    /// `nil` where no head was sent.
    public init?(_ messages: [RecordedMessage]) {
        guard let first = messages.first, first.direction == .out, first.kind == .head else { return nil }
        connection = first.connection
        head = Head(String(decoding: first.bytes, as: UTF8.self))
        (started, ended) = (first.nanoseconds, first.nanoseconds)
        for message in messages.dropFirst() {
            ended = message.nanoseconds
            switch (message.direction, message.kind) {
            case (.out, .body): body += message.bytes
            // That of a message in a conversation comes after the handshake's answer.
            case (.out, .end): if answer == nil { sent = message.nanoseconds }
            case (.in, .head):
                answer = Answer(
                    head: Head(String(decoding: message.bytes, as: UTF8.self)),
                    nanoseconds: message.nanoseconds
                )
            case (.in, .body): answer?.body += message.bytes
            case (_, .failure): failure = message.failure
            default: break
            }
        }
    }
}
