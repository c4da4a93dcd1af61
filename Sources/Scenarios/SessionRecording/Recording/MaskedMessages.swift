/// Recorded messages without secrets, also where one lies across chunks of a body.
///
/// A chunk whose end may be the beginning of a secret waits, with its time, for the next one.
struct MaskedMessages: Sendable {
    private struct Flow: Hashable {
        var connection: Int
        var direction: RecordedMessage.Direction
    }

    private let mask: SecretMask
    private var waiting: [Flow: [RecordedMessage]] = [:]

    init(_ mask: SecretMask) { self.mask = mask }

    /// Takes a message, and returns what may be written now.
    mutating func pass(_ message: RecordedMessage) -> [RecordedMessage] {
        if mask.isEmpty { return [message] }
        let flow = Flow(connection: message.connection, direction: message.direction)
        var messages = waiting.removeValue(forKey: flow) ?? []
        guard message.kind == .body else {
            var message = message
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

    /// Returns what still waits, in order of time.
    mutating func rest() -> [RecordedMessage] {
        defer { waiting = [:] }
        return waiting.values.joined().sorted { $0.nanoseconds < $1.nanoseconds }
    }
}
