import Synchronization

/// The recorded connections of one kind, each of which answers one request.
///
/// A request finds the connection on which the same was asked: the same first line of the head, which has method and target, and the
/// same body. Among those the one with the same header fields comes first, and then the one that was opened first. Where only the body is
/// another one than any that was recorded, the first line decides, so that the difference can be named.
final class RecordedRequests: Sendable {
    private let connections: [ReplayConnection]
    /// Their heads without secrets.
    private let heads: [String]
    private let mask: SecretMask
    /// The places of those that have answered nothing yet, by first line, in order of opening.
    private let left: Mutex<[String: [Int]]>

    init(_ connections: [ReplayConnection], mask: SecretMask) {
        self.connections = connections
        self.mask = mask
        heads = connections.map { mask.masked($0.head) }
        left = Mutex(Dictionary(grouping: heads.indices) { [heads] in firstLine(of: heads[$0]) })
    }

    /// What a request asks: the first line of its head, without secrets.
    func line(of head: String) -> String { firstLine(of: mask.masked(head)) }

    /// Whether that was asked at all.
    func has(_ line: String) -> Bool { left.withLock { $0[line] != nil } }

    /// What was asked first of what has no answer yet; `nil` where that is nothing.
    var next: String? {
        left.withLock { $0.values.compactMap(\.first).min() }.map { firstLine(of: heads[$0]) }
    }

    /// Takes the connection that answers a request; `nil` where none is left.
    func take(_ head: String, body: [UInt8]) -> ReplayConnection? {
        let masked = mask.masked(head)
        let line = firstLine(of: masked)
        return left.withLock { left in
            let asked = left[line] ?? []
            let same = asked.count > 1 ? asked.filter { connections[$0].hasSent(body) } : asked
            guard let found = same.first(where: { heads[$0] == masked }) ?? same.first ?? asked.first else {
                return nil
            }
            left[line]?.removeAll { $0 == found }
            return connections[found]
        }
    }
}

private func firstLine(of head: String) -> String { String(head.prefix { $0 != "\n" }) }
