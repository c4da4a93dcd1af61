import Transport

extension SessionReader {
    /// All connections in order of opening, each with its kind and its messages.
    ///
    /// - Throws: `damaged` also where no connection can have had the messages.
    func checkedConnections() throws(SessionError) -> [(kind: String, messages: [RecordedMessage])] {
        let rows = try messageRows()
        var checked: [(kind: String, messages: [RecordedMessage])] = []
        for connection in try connections() {
            let (number, kind) = (connection.number, connection.kind)
            let messages = try messages(of: number, in: rows[number])
            guard ReplayTransport.canReplay(messages, kind) else {
                throw SessionError.damaged(path: path, detail: "its connection \(number) is no \(kind)")
            }
            if let disorder = ReplayTransport.disorder(of: messages, kind) {
                throw SessionError.damaged(path: path, detail: "in its connection \(number) \(disorder)")
            }
            checked.append((kind, messages))
        }
        return checked
    }
}

extension ReplayTransport {
    /// Whether what came in is what comes in over such a connection.
    fileprivate static func canReplay(_ messages: [RecordedMessage], _ kind: String) -> Bool {
        messages.filter { $0.direction == .in && $0.kind != .failure }.enumerated().allSatisfy {
            index,
            message in
            switch kind {
            case SessionFormat.interfacesKind: RecordedHost.interfaces(message.bytes) != nil
            case SessionFormat.lookUpKind: RecordedHost.endpoints(message.bytes) != nil
            case SessionFormat.datagramKind where index == 0:
                Endpoint(String(decoding: message.bytes, as: UTF8.self)) != nil
            case SessionFormat.datagramKind:
                message.kind == .datagram && RecordedDatagram.received(message.bytes) != nil
            default: true
            }
        }
    }

    /// What cannot have been so in the messages of a connection: an answer before its question, or an end of nothing; `nil` for what can.
    static func disorder(of messages: [RecordedMessage], _ kind: String) -> String? {
        guard kind == "http" || kind == "websocket", let first = messages.first else { return nil }
        guard first.direction == .out, first.kind == .head else { return "nothing was asked first" }
        var isAnswered = false
        // How many messages of a conversation are not complete.
        var underWay = 0
        for (number, message) in messages.enumerated().dropFirst() {
            let name = "message \(number) (\(message.direction.rawValue), \(message.kind.rawValue))"
            switch (message.direction, message.kind) {
            case (.out, .head): return "\(name) is a second question"
            case (.out, _) where kind == "http": break
            case (.out, .end), (.out, .failure):
                guard underWay > 0 else { return "\(name) ends nothing" }
                underWay -= 1
            case (.out, _): underWay += 1
            case (.in, .failure): break
            case (.in, .head):
                guard !isAnswered else { return "\(name) is a second answer" }
                let status = Int(String(decoding: message.bytes.prefix(3), as: UTF8.self))
                guard let status, kind == "http" ? (100...999).contains(status) : status == 101 else {
                    return "\(name) is no answer that opens it"
                }
                isAnswered = true
            case (.in, _): guard isAnswered else { return "\(name) came before an answer" }
            }
        }
        return nil
    }
}
