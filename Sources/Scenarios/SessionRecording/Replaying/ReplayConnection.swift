import Synchronization
import Transport

/// One recorded connection: compares what goes out, and gives back what came in at its recorded time.
final class ReplayConnection: AskedConnection {
    /// A message, and its place among all of the connection.
    private typealias Placed = (place: Int, message: RecordedMessage)

    private struct State {
        var sent = 0
        var completed = 0
        var received = 0
        /// What the program was given that stands last in the recording.
        var given: Placed?
    }

    private let name: String
    /// What the program sent, without the notes of completion.
    private let outgoing: [RecordedMessage]
    /// Where each of them stands.
    private let places: [Int]
    /// When each sending was complete, in order, and whether it failed.
    private let completions: [Placed]
    /// The same by the number of what was sent, of a datagram socket.
    private let outcomes: [Int: RecordedMessage]
    private let incoming: [Placed]
    private let clock: SessionClock
    private let comparison: Comparison
    private let mask: SecretMask
    private let state = Mutex(State())

    init(
        number: Int,
        kind: String,
        messages: [RecordedMessage],
        clock: SessionClock,
        comparison: Comparison,
        mask: SecretMask
    ) {
        name = "connection \(number) (\(kind))"
        let placed = messages.enumerated().map { Placed($0.offset, $0.element) }
        let out = placed.filter { $0.message.direction == .out }
        let sent = out.filter { $0.message.kind != .end && $0.message.kind != .failure }
        (outgoing, places) = (sent.map(\.message), sent.map(\.place))
        completions = out.filter { $0.message.kind == .end || $0.message.kind == .failure }
        outcomes =
            kind != SessionFormat.datagramKind
            ? [:]
            : completions.map(\.message).reduce(into: [:]) { outcomes, message in
                guard let (operation, bytes) = RecordedDatagram.outcome(message.bytes) else { return }
                outcomes[operation] = message
                outcomes[operation]?.bytes = bytes
            }
        incoming = placed.filter { $0.message.direction == .in }
        self.clock = clock
        self.comparison = comparison
        self.mask = mask
    }

    // MARK: What it is

    /// The recorded head, as text.
    var head: String { outgoing.first.map { String(decoding: $0.bytes, as: UTF8.self) } ?? "" }

    /// The recorded body.
    var sentBody: [UInt8] { outgoing.body }

    // MARK: Out

    /// Compares a message with the next recorded one, and returns its number.
    @discardableResult
    func compare(_ kind: RecordedMessage.Kind, _ bytes: [UInt8]) -> Int {
        let index = state.withLock { state in
            defer { state.sent += 1 }
            return state.sent
        }
        let expected = index < outgoing.count ? outgoing[index] : nil
        // What is the same without a mask is the same with one.
        if let expected, expected.kind == kind, expected.bytes == bytes {
            compareOrder(index)
            return index
        }
        let bytes = masked(kind, bytes)
        if let expected, expected.kind == kind, masked(kind, expected.bytes) == bytes {
            compareOrder(index)
            return index
        }
        let prefix = expected.map { Self.commonPrefix($0.bytes, bytes) } ?? 0
        let difference = Difference(
            nanoseconds: clock.nanoseconds,
            place: "\(name), message \(index) out",
            recorded: expected.map { "\($0.kind.rawValue), \(excerpt($0.bytes, around: prefix))" }
                ?? "nothing more",
            replayed: "\(kind.rawValue), \(excerpt(bytes, around: prefix))"
        )
        if expected == nil { comparison.exceeds(difference) } else { comparison.differs(difference) }
        return index
    }

    /// Compares when the same message was sent, seen from what the program was given on this connection.
    ///
    /// A replay computes in no time, and so it may send earlier than the recorded program, and never later.
    private func compareOrder(_ index: Int) {
        guard let given = state.withLock({ $0.given }), given.place > places[index],
            given.message.nanoseconds > outgoing[index].nanoseconds
        else { return comparison.same() }
        comparison.differs(
            Difference(
                nanoseconds: clock.nanoseconds,
                place: "\(name), message \(index) out",
                recorded:
                    "sent before \(Self.name(of: given.message)) at \(Double(given.message.nanoseconds) / 1e9) s",
                replayed: "sent after it"
            )
        )
    }

    private static func name(of message: RecordedMessage) -> String {
        switch (message.direction, message.kind) {
        case (.out, _): "the one before it was complete"
        case (.in, .failure): "a failure came"
        case (.in, let kind): "a message came (\(kind.rawValue), \(message.bytes.count) bytes)"
        }
    }

    private func note(given placed: Placed) {
        state.withLock { state in
            if placed.place > state.given?.place ?? -1 { state.given = placed }
        }
    }

    /// Compares a whole body with the recorded chunks of one.
    func compareBody(_ bytes: [UInt8]) {
        let (recorded, isLast) = state.withLock { state in
            var body: [UInt8] = []
            while state.sent < outgoing.count, outgoing[state.sent].kind == .body {
                body += outgoing[state.sent].bytes
                state.sent += 1
            }
            return (body, state.sent == outgoing.count)
        }
        if recorded == bytes { return comparison.same() }
        let bytes = masked(.body, bytes)
        if masked(.body, recorded) == bytes { return comparison.same() }
        let prefix = Self.commonPrefix(recorded, bytes)
        let difference = Difference(
            nanoseconds: clock.nanoseconds,
            place: "\(name), body out",
            recorded: excerpt(recorded, around: prefix),
            replayed: excerpt(bytes, around: prefix)
        )
        // The rest of the body may have been lost with its writer.
        let isBeginning = isLast && incoming.isEmpty && prefix == recorded.count
        if isBeginning { comparison.exceeds(difference) } else { comparison.differs(difference) }
    }

    /// What a recording has of these bytes; one of former versions has more.
    private func masked(_ kind: RecordedMessage.Kind, _ bytes: [UInt8]) -> [UInt8] {
        mask.masked(kind, bytes)
    }

    /// Waits until the recorded completion of the next sending, and fails as it did.
    func complete() async throws(TransportError) {
        let index = state.withLock { state in
            defer { state.completed += 1 }
            return state.completed
        }
        guard index < completions.count else { return try await waitUntilCancelled() }
        let completion = completions[index].message
        await wait(until: completion.nanoseconds)
        note(given: completions[index])
        if completion.kind == .failure { throw TransportErrorCoding.error(from: completion.bytes) }
    }

    /// Waits until what was sent under a number was complete, and fails as it did; for ever where it never was.
    func complete(_ number: Int) async throws(TransportError) {
        guard let outcome = outcomes[number] else { return try await waitUntilCancelled() }
        // What took no time must let nobody else run meanwhile: others would send first.
        if outcome.nanoseconds > clock.nanoseconds { await wait(until: outcome.nanoseconds) }
        if outcome.kind == .failure { throw TransportErrorCoding.error(from: outcome.bytes) }
    }

    // MARK: In

    /// Waits for the next recorded message.
    func receive() async throws(TransportError) -> RecordedMessage {
        let index = state.withLock { $0.received }
        guard index < incoming.count else {
            try await waitUntilCancelled()
            throw TransportError(.cancelled, operation: "receive", peer: name)
        }
        let message = incoming[index].message
        await wait(until: message.nanoseconds)
        state.withLock { $0.received = index + 1 }
        note(given: incoming[index])
        if message.kind == .failure { throw TransportErrorCoding.error(from: message.bytes) }
        return message
    }

    /// Notes the first recorded message that was not sent again, of those up to a time; of all for `nil`.
    func finish(until end: Int64?) {
        let index = state.withLock { $0.sent }
        guard index < outgoing.count, outgoing[index].nanoseconds <= end ?? .max else { return }
        comparison.differs(
            Difference(
                nanoseconds: outgoing[index].nanoseconds,
                place: "\(name), message \(index) out",
                recorded: "\(outgoing[index].kind.rawValue), \(excerpt(outgoing[index].bytes, around: 0))",
                replayed: "nothing more"
            )
        )
    }

    // MARK: Waiting

    /// Waits, also when the task is cancelled meanwhile: the recording says how that ended, and when.
    private func wait(until nanoseconds: Int64) async {
        await Task { [clock] in try? await clock.sleep(until: nanoseconds) }.value
    }

    private func waitUntilCancelled() async throws(TransportError) {
        try await ReplayTransport.waitUntilCancelled(peer: name)
    }

    private static func commonPrefix(_ a: [UInt8], _ b: [UInt8]) -> Int {
        zip(a, b).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(a.count, b.count)
    }
}

extension SecretMask {
    /// What a recording has of the bytes of a message; one of former versions has more.
    func masked(_ kind: RecordedMessage.Kind, _ bytes: [UInt8]) -> [UInt8] {
        let isNamed = [.body, .text, .binary, .datagram].contains(kind)
        return masked(isNamed ? BodyRedaction.redacted(bytes) : bytes)
    }
}

extension [RecordedMessage] {
    /// The body among these messages, all of which were sent.
    var body: [UInt8] { lazy.filter { $0.kind == .body }.flatMap(\.bytes) }
}
