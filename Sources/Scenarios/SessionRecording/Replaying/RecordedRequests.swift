import Synchronization

/// A recorded connection, by what was asked on it.
protocol AskedConnection: Sendable {
    /// The recorded head, as text.
    var head: String { get }

    /// The recorded body.
    var sentBody: [UInt8] { get }
}

/// The recorded connections of one kind, each of which answers one request.
///
/// A request finds the connection on which the same was asked: the same first line of the head, which has method and target, and the
/// same body. Among those the one with the same header fields comes first, and then the one that was opened first. Where only the body is
/// another one than any that was recorded, the first line decides, so that the difference can be named.
final class RecordedRequests<Connection: AskedConnection>: Sendable {
    private struct State {
        /// The places of those that have answered nothing yet, by first line, in order of opening.
        var left: [String: [Int]]
        /// The place of the one that has answered a first line last.
        var last: [String: Int] = [:]
        /// Bodies without secrets, by the places of their connections, once they were compared.
        var bodies: [Int: [UInt8]] = [:]
    }

    private let connections: [Connection]
    private let heads: RecordedHeads
    private let mask: SecretMask
    private let state: Mutex<State>

    /// Prepares to answer.
    ///
    /// - Parameters:
    ///   - connections: What answers.
    ///   - heads: Their heads, where they are known.
    ///   - mask: Replaces secrets in what is compared.
    init(_ connections: [Connection], heads: RecordedHeads? = nil, mask: SecretMask) {
        self.connections = connections
        self.mask = mask
        let heads = heads ?? RecordedHeads(connections, mask)
        self.heads = heads
        state = Mutex(State(left: heads.places))
    }

    /// What a request asks: the first line of its head, without secrets.
    func line(of head: String) -> String { firstLine(of: mask.masked(head)) }

    /// Whether that was asked at all.
    func has(_ line: String) -> Bool { state.withLock { $0.left[line] != nil } }

    /// What was asked first of what has no answer yet; `nil` where that is nothing.
    var next: String? {
        state.withLock { $0.left.values.compactMap(\.first).min() }.map { heads.lines[$0] }
    }

    /// Takes the connection that answers a request; `nil` where none is left.
    func take(_ head: String, body: [UInt8]) -> Connection? {
        let masked = mask.masked(head)
        return state.withLock { take(masked, body, as: firstLine(of: masked), &$0) }
    }

    /// Takes the connection that answers a request; where none is left, the one that has answered the same line last.
    ///
    /// A line that was never asked is answered as one that asks the same host and whose path differs in numbers alone, since programs
    /// draw names: of two with such a difference the one that is left comes first.
    ///
    /// - Returns: `nil` where nothing like it was asked.
    func takeOrRepeat(_ head: String, body: [UInt8]) -> Connection? {
        let masked = mask.masked(head)
        let line = firstLine(of: masked)
        return state.withLock { state in
            if let found = take(masked, body, as: line, &state) { return found }
            if let last = state.last[line] { return connections[last] }
            let alike = (heads.alike[shape(of: line)] ?? []).map { heads.lines[$0] }
            if let other = alike.first(where: { state.left[$0]?.isEmpty == false }) {
                return take(masked, body, as: other, &state)
            }
            return alike.last.flatMap { state.last[$0] }.map { connections[$0] }
        }
    }

    private func take(_ masked: String, _ body: [UInt8], as line: String, _ state: inout State) -> Connection?
    {
        let asked = state.left[line] ?? []
        let same = asked.count > 1 ? those(asked, with: body, &state) : asked
        guard let found = same.first(where: { heads.heads[$0] == masked }) ?? same.first ?? asked.first else {
            return nil
        }
        state.left[line]?.removeAll { $0 == found }
        state.last[line] = found
        return connections[found]
    }

    /// Those with the same body, or where there is none, with one that differs in secrets alone.
    private func those(_ asked: [Int], with body: [UInt8], _ state: inout State) -> [Int] {
        let same = asked.filter { connections[$0].sentBody == body }
        guard same.isEmpty else { return same }
        let masked = mask.masked(.body, body)
        return asked.filter { place in
            let recorded = state.bodies[place] ?? mask.masked(.body, connections[place].sentBody)
            state.bodies[place] = recorded
            return recorded == masked
        }
    }
}

private func firstLine(of head: String) -> String { String(head.prefix { $0 != "\n" }) }

/// A first line with one sign for each name in hexadecimal digits in its path, such as those of a UUID, and for each number.
private func shape(of line: String) -> String {
    guard let scheme = line.firstRange(of: "://"),
        let path = line[scheme.upperBound...].firstIndex(of: "/")
    else { return line }
    var shape = String(line[..<path])
    var run: [UInt8] = []
    func endRun() {
        let isName = run.contains { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        shape += isName ? "#" : String(decoding: run, as: UTF8.self)
        run = []
    }
    for character in line[path...] {
        if let byte = character.asciiValue, character.isHexDigit || character == "-" {
            run.append(byte)
        } else {
            endRun()
            shape.append(character)
        }
    }
    endRun()
    return shape
}

/// The heads of recorded connections without secrets, and where each line is.
struct RecordedHeads: Sendable {
    fileprivate let heads: [String]
    /// The first line of each.
    fileprivate let lines: [String]
    /// The places of each line, in order.
    fileprivate let places: [String: [Int]]
    /// The places of those that differ in numbers alone, by their shape.
    fileprivate let alike: [String: [Int]]

    /// Takes secrets out.
    init(_ connections: [some AskedConnection], _ mask: SecretMask) {
        heads = connections.map { mask.masked($0.head) }
        lines = heads.map { firstLine(of: $0) }
        places = Dictionary(grouping: lines.indices) { [lines] in lines[$0] }
        alike = Dictionary(grouping: lines.indices) { [lines] in shape(of: lines[$0]) }
    }
}
