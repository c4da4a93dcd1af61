import Synchronization

/// The recorded connections of one kind, each of which answers one request.
///
/// A request finds the connection on which the same was asked: the same first line of the head, which has method and target, and the
/// same body. Among those the one with the same header fields comes first, and then the one that was opened first. Where only the body is
/// another one than any that was recorded, the first line decides, so that the difference can be named.
final class RecordedRequests: Sendable {
    private let connections: [ReplayConnection]
    private let mask: SecretMask
    /// The places of those that have answered nothing yet, in order of opening.
    private let left: Mutex<[Int]>

    init(_ connections: [ReplayConnection], mask: SecretMask) {
        self.connections = connections
        self.mask = mask
        left = Mutex(Array(connections.indices))
    }

    /// What a request asks: the first line of its head, without secrets.
    func line(of head: String) -> String { mask.masked(String(head.prefix { $0 != "\n" })) }

    /// Whether that was asked at all.
    func has(_ line: String) -> Bool { connections.contains { self.line(of: $0.head) == line } }

    /// What was asked first of what has no answer yet; `nil` where that is nothing.
    var next: String? { left.withLock(\.first).map { line(of: connections[$0].head) } }

    /// Takes the connection that answers a request; `nil` where none is left.
    func take(_ head: String, body: [UInt8]) -> ReplayConnection? {
        let line = line(of: head)
        return left.withLock { left in
            let asked = left.filter { self.line(of: connections[$0].head) == line }
            let same = asked.count > 1 ? asked.filter { connections[$0].hasSent(body) } : asked
            let masked = mask.masked(head)
            guard
                let found = same.first(where: { mask.masked(connections[$0].head) == masked }) ?? same.first
                    ?? asked.first
            else { return nil }
            left.removeAll { $0 == found }
            return connections[found]
        }
    }
}
