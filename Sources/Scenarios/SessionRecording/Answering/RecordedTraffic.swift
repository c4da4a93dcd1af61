package import HTTPTypes
package import Services
package import Transport

/// All that peers said in a recording over real sockets, in memory.
package struct RecordedTraffic: Sendable {
    /// Where requests went, each once, sorted: `127.0.0.1:40123`.
    package let authorities: [String]
    /// Whether there were datagrams, which no question leads to.
    package let hasDatagrams: Bool
    /// How many things came in.
    package let count: Int
    private let conversations: [String: [RecordedConversation]]
    /// Their heads, which are the same for each run.
    private let heads: [String: RecordedHeads]
    private let mask: SecretMask

    /// Reads a recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - secrets: What the program sends in the place of the recorded secrets.
    package init(_ session: SessionReader, secrets: [Secret]) throws(SessionError) {
        var conversations: [String: [RecordedConversation]] = [:]
        for (number, (kind, messages)) in try session.checkedConnections().enumerated() {
            conversations[kind, default: []].append(RecordedConversation(number: number, messages: messages))
        }
        self.conversations = conversations
        let mask = session.mask(of: secrets)
        self.mask = mask
        heads = conversations.mapValues { RecordedHeads($0, mask) }
        authorities = Set(conversations.values.joined().compactMap(\.authority)).sorted()
        hasDatagrams = conversations[SessionFormat.datagramKind] != nil
        count = conversations.values.joined().reduce(0) { $0 + $1.steps.count }
    }

    /// The answers for one run, none of which was given yet.
    package func answers() -> RecordedAnswers { RecordedAnswers(conversations, heads, mask) }
}

/// The answers of a recording: each is given to the request that asks for it, in whatever order requests come.
package final class RecordedAnswers: Sendable {
    private let requests: [String: RecordedRequests<RecordedConversation>]
    private let byNumber: [Int: RecordedConversation]

    fileprivate init(
        _ conversations: [String: [RecordedConversation]],
        _ heads: [String: RecordedHeads],
        _ mask: SecretMask
    ) {
        requests = Dictionary(
            uniqueKeysWithValues: conversations.map {
                ($0.key, RecordedRequests($0.value, heads: heads[$0.key], mask: mask))
            }
        )
        byNumber = Dictionary(uniqueKeysWithValues: conversations.values.joined().map { ($0.number, $0) })
    }

    /// The conversation that answers a request; `nil` where nothing like it was asked.
    package func conversation(for request: HTTPRequest, body: HTTPBody) -> RecordedConversation? {
        let bytes: [UInt8] = if case .bytes(let bytes) = body { bytes } else { [] }
        return requests["http"]?.takeOrRepeat(Redaction.text(of: request), body: bytes)
    }

    /// The conversation of a WebSocket; `nil` where none like it was opened.
    package func webSocket(for request: HTTPRequest) -> RecordedConversation? {
        requests["websocket"]?.takeOrRepeat(Redaction.text(of: request), body: [])
    }

    /// The addresses that a name led to, or the error that came of it; `nil` where it was not looked up.
    package func endpoints(of address: SocketAddress) throws(TransportError) -> [Endpoint]? {
        let found = requests[SessionFormat.lookUpKind]?.takeOrRepeat("\(address)", body: [])
        if let failure = found?.failure { throw failure.error }
        return found?.steps.first.flatMap { RecordedHost.endpoints($0.message.bytes) }
    }

    /// The interfaces that the host had; none where nobody asked.
    package func interfaces() throws(TransportError) -> [NetworkInterface] {
        let found = requests[SessionFormat.interfacesKind]?.takeOrRepeat("interfaces", body: [])
        if let failure = found?.failure { throw failure.error }
        return found?.steps.first.flatMap { RecordedHost.interfaces($0.message.bytes) } ?? []
    }

    /// The conversation of that number.
    package subscript(number: Int) -> RecordedConversation? { byNumber[number] }
}
