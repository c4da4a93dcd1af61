import Concurrency
import HTTPTypes
import SessionRecording
import Synchronization
import Transport

/// A peer of a recording, which answers on a simulated network what it answered then.
///
/// What it models: answers, chunks and messages come in their order on each connection, each after the time that it took then, counted from
/// what crossed the connection before. A message of a WebSocket comes when as many messages were sent as had been then, or
/// ``patience`` has passed without.
///
/// What it does not: that another question has another answer. Requests are not looked at; `RecordedPeers` has chosen
/// the conversation for each, whose number stands in a field of its head.
struct RecordedPeer: Server {
    /// Names the conversation that a request belongs to.
    static let number = HTTPField.Name("x-recorded-conversation") ?? .range
    /// How long a peer waits for messages that were sent to it in the recording before it goes on without them.
    private static let patience = Duration.seconds(10)

    let answers: RecordedAnswers
    let departures: Departures

    var mayBlock: Bool { false }

    private func conversation(for request: HTTPRequest) -> RecordedConversation? {
        request.headerFields[Self.number].flatMap { Int($0) }.flatMap { answers[$0] }
    }

    // MARK: Requests

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let asked = conversation(for: request)
        do {
            for try await _ in try await body.chunks() {}
            guard let asked, let first = asked.steps.first, let head = asked.response else {
                await Silence.wait()
                return (HTTPResponse(status: .serviceUnavailable), .empty)
            }
            try await pause(before: first, of: asked)
            let rest = Steps(asked.steps.dropFirst())
            let stream = ByteStream { () async throws(TransportError) -> [UInt8]? in
                try await chunk(rest.next(), of: asked)
            }
            return (HTTPResponse(status: head.status), .stream(stream, length: nil))
        } catch { return (HTTPResponse(status: .serviceUnavailable), .empty) }
    }

    /// The next chunk of an answer; the recording may stop in the middle of it.
    private func chunk(
        _ step: RecordedConversation.Step?,
        of asked: RecordedConversation
    ) async throws(TransportError) -> [UInt8]? {
        if let step, step.message.kind != .failure || step.error != nil {
            do { try await pause(before: step, of: asked) } catch { throw Self.cancelled }
            if let error = step.error { throw error }
            return step.message.kind == .end ? nil : step.message.bytes
        }
        await Silence.wait()
        throw Self.cancelled
    }

    private static let cancelled = TransportError(.cancelled, operation: "answer", peer: "the program")

    private func pause(
        before step: RecordedConversation.Step,
        of asked: RecordedConversation
    ) async throws {
        try await Task.sleep(for: departures.time(of: step.gap, for: asked.name))
    }

    // MARK: WebSockets

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        guard let asked = conversation(for: request), let first = asked.steps.first,
            first.message.kind == .head, (try? await pause(before: first, of: asked)) != nil
        else {
            await Silence.wait()
            return .refuse(HTTPResponse(status: .serviceUnavailable), .empty)
        }
        var fields = HTTPFields()
        fields[.secWebSocketProtocol] = asked.subprotocol
        return .accept(WebSocketLimits(messageBytes: 1 << 30), headerFields: fields) { socket in
            let heard = CurrentValue(0)
            async let talking: Void = talk(on: socket, asked, heard.published)
            while let event = try? await socket.receive() {
                if case .closed = event { break }
                heard.update { $0 += 1 }
            }
            await talking
        }
    }

    private func talk(
        on socket: any WebSocket,
        _ asked: RecordedConversation,
        _ heard: Published<Int>
    ) async {
        for step in asked.steps.dropFirst() {
            await wait(for: step.sentBefore, heard)
            do {
                try await pause(before: step, of: asked)
                switch step.message.kind {
                case .text: try await socket.send(utf8: step.message.bytes)
                case .binary: try await socket.send(binary: step.message.bytes)
                default: break
                }
            } catch { return }
            if let close = step.close { return await socket.close(close) }
        }
    }

    /// Waits until so many messages came, or patience is at its end.
    private func wait(for count: Int, _ heard: Published<Int>) async {
        guard heard.value < count else { return }
        await withTaskGroup { group in
            group.addTask { for await value in heard.values() where value >= count { return } }
            group.addTask { try? await Task.sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
    }
}

/// The steps of one answer, taken by its one reader.
private final class Steps: Sendable {
    private let left: Mutex<ArraySlice<RecordedConversation.Step>>

    init(_ steps: ArraySlice<RecordedConversation.Step>) { left = Mutex(steps) }

    func next() -> RecordedConversation.Step? { left.withLock { $0.popFirst() } }
}
