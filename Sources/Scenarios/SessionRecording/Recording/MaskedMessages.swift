import Services

/// Recorded messages without secrets, also where one lies across chunks of a body.
///
/// What stands under the name of a credential is hidden, and looked for everywhere from then on. Values in JSON that services
/// send have a word each. A chunk whose end may be the beginning of a known secret waits, with its time, for the next one.
struct MaskedMessages: Sendable {
    private struct Flow: Hashable {
        var connection: Int
        var direction: RecordedMessage.Direction
    }

    /// The values that are known.
    private(set) var mask: SecretMask
    private var waiting: [Flow: [RecordedMessage]] = [:]
    /// Bodies that have begun.
    private var bodies: [Flow: BodyRedaction] = [:]

    init(_ mask: SecretMask) { self.mask = mask }

    /// Looks for more values from now on.
    mutating func learn(_ secrets: [Secret]) { mask.learn(secrets) }

    /// Looks for values that stood under the name of a credential, where no word of theirs is wanted.
    mutating func find(_ secrets: [Secret]) {
        for secret in secrets { _ = mask.find(secret) }
    }

    /// Takes a message, and returns what may be written now.
    mutating func pass(_ message: RecordedMessage) -> [RecordedMessage] {
        let flow = Flow(connection: message.connection, direction: message.direction)
        // A received datagram keeps its length, and was masked as its reader says, names of credentials included.
        if message.kind == .datagram, message.direction == .in { return [message] }
        var message = message
        guard redact(&message, flow) else { return [] }
        if mask.isEmpty { return [message] }
        var messages = waiting.removeValue(forKey: flow) ?? []
        guard message.kind == .body else {
            message.bytes = mask.masked(message.bytes)
            return messages + [message]
        }
        messages.append(message)
        let masked = mask.masked(messages.map(\.bytes))
        for index in messages.indices { messages[index].bytes = masked[index] }
        // A chunk that was nothing but the rest of a secret is no chunk any more.
        messages.removeAll { $0.bytes.isEmpty }
        var open = mask.openCount(Array(masked.joined()))
        var first = messages.endIndex
        while open > 0, first > 0 {
            first -= 1
            open -= messages[first].bytes.count
        }
        if first < messages.endIndex { waiting[flow] = Array(messages[first...]) }
        return Array(messages[..<first])
    }

    /// Hides what stands under the name of a credential, and learns it; returns whether anything of the message is left.
    private mutating func redact(_ message: inout RecordedMessage, _ flow: Flow) -> Bool {
        guard [.body, .text, .binary, .datagram].contains(message.kind) else {
            bodies[flow] = nil
            return true
        }
        let count = message.bytes.count
        let isIn = message.direction == .in
        var redaction = message.kind == .body ? bodies[flow] ?? BodyRedaction() : BodyRedaction()
        message.bytes = redaction.pass(message.bytes) { value in
            // What a service says has a word of its own: the program tells values apart, and a replay has to as well.
            isIn ? mask.issue(Secret(value)) : mask.find(Secret(value))
        }
        find(redaction.takeFound().map { Secret($0) })
        if message.kind == .body { bodies[flow] = redaction }
        return message.kind != .body || count == 0 || !message.bytes.isEmpty
    }

    /// Returns what still waits, in order of time.
    mutating func rest() -> [RecordedMessage] {
        defer { waiting = [:] }
        return waiting.values.joined().sorted { $0.nanoseconds < $1.nanoseconds }
    }
}
