internal import SessionRecording

/// Which entries of a recording a page asks for.
struct EntryQuery: Decodable, Sendable {
    /// The time around which they are, in seconds since the start.
    var seconds: Double
    /// The kinds, as `lenssim inspect --only` names them; all where none is given.
    var kinds: [String]?
    /// What they have to contain, letter by letter.
    var text: String?
    /// Whether only failures are wanted.
    var failures: Bool?

    func filter(_ times: ClosedRange<Int64>) -> SessionFilter {
        var filter = SessionFilter()
        if let kinds, !kinds.isEmpty { filter.kinds = Set(kinds.compactMap(SessionFilter.Kind.init)) }
        filter.times = times
        filter.text = text?.isEmpty == false ? text : nil
        filter.onlyFailures = failures ?? false
        return filter
    }
}

/// The entries around a time, as rows.
struct EntryList: Encodable, Sendable {
    /// An entry in one line.
    struct Item: Encodable, Sendable {
        /// Its name in the recording, such as `m57`.
        var id: String
        var seconds: Double
        /// Where it was, such as `http 3`.
        var place: String
        /// `out` or `in` for messages, `action` or `state` for screens, `event` and `capture` for the others.
        var way: String
        var text: String
        var isFailure: Bool
    }

    /// How many there are before the time and behind it at most.
    static let side = 80
    /// How much of an entry is read for its row, in bytes.
    private static let excerpt = 240
    /// The longest time, in nanoseconds, as the recording format has it.
    private static let latest: Int64 = 1 << 60

    /// In the order of their times.
    var items: [Item]
    /// Whether there are more before and behind them.
    var hasEarlier: Bool
    var hasLater: Bool

    /// Finds them.
    ///
    /// - Throws: `damaged`.
    init(_ query: EntryQuery, in session: SessionReader) throws(SessionError) {
        let seconds = query.seconds.isFinite ? min(max(query.seconds, 0), Double(Self.latest) / 1e9) : 0
        let time = min(Int64(seconds * 1e9), Self.latest - 1)
        let (before, hasEarlier) = try Self.before(time, query, in: session)
        var later = SessionEntries(session, query.filter((time + 1)...Self.latest), excerpt: Self.excerpt)
        var after: [SessionEntry] = []
        while after.count < Self.side, let entry = try later.next() { after.append(entry) }
        hasLater = after.count == Self.side ? try later.next() != nil : false
        self.hasEarlier = hasEarlier
        items = (before + after).map(Item.init)
    }

    /// The newest ones until a time: looked for in a longer and longer part before it.
    private static func before(
        _ time: Int64,
        _ query: EntryQuery,
        in session: SessionReader
    ) throws(SessionError) -> (entries: [SessionEntry], hasEarlier: Bool) {
        var length: Int64 = 1_000_000_000
        while true {
            let start = max(0, time - length)
            var entries = SessionEntries(session, query.filter(start...max(start, time)), excerpt: excerpt)
            var found: [SessionEntry] = []
            var count = 0
            while let entry = try entries.next() {
                count += 1
                found.append(entry)
                if found.count > 2 * side { found.removeFirst(found.count - side) }
            }
            if count > side || start == 0 { return (found.suffix(side), count > side) }
            length = length > latest / 8 ? latest : length * 8
        }
    }
}

extension EntryList.Item {
    init(_ entry: SessionEntry) {
        id = "\(entry.id)"
        seconds = Double(entry.nanoseconds) / 1e9
        place = entry.place
        text = String(entry.words { "\($0)" }.prefix(300))
        isFailure = entry.isFailure
        way =
            switch entry.content {
            case .message(let message, _): message.direction.rawValue
            case .screen(let screen): screen.kind.rawValue
            case .capture: "capture"
            case .event: "event"
            }
    }
}
