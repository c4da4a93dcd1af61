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

    var filter: SessionFilter {
        var filter = SessionFilter()
        if let kinds, !kinds.isEmpty { filter.kinds = Set(kinds.compactMap(SessionFilter.Kind.init)) }
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

    /// How many entries there are before the time and after it, at most.
    static let side = 80
    /// How many rows of each table are looked through on each side.
    private static let reach: Int64 = 20_000
    /// How much of an entry is read for its row, in bytes.
    static let excerpt = 240
    /// The longest time, in nanoseconds.
    private static let latest: Int64 = 1 << 60

    /// The time that was asked for, in seconds.
    var seconds: Double
    /// In the order of their times.
    var items: [Item]
    /// Whether there may be more before and after them.
    var hasEarlier: Bool
    var hasLater: Bool

    /// Finds them.
    ///
    /// - Throws: `damaged`.
    init(_ query: EntryQuery, in session: SessionReader) throws(SessionError) {
        let asked = query.seconds.isFinite ? min(max(query.seconds, 0), Double(Self.latest) / 1e9) : 0
        let found = try session.entries(
            around: min(Int64((asked * 1e9).rounded()), Self.latest),
            query.filter,
            count: Self.side,
            reach: Self.reach,
            excerpt: Self.excerpt
        )
        seconds = asked
        items = (found.before + found.after).map(Item.init)
        (hasEarlier, hasLater) = (found.hasEarlier, found.hasLater)
    }
}

extension EntryList.Item {
    init(_ entry: SessionEntry) {
        id = "\(entry.id)"
        seconds = Double(entry.nanoseconds) / 1e9
        place = entry.place
        text = String(entry.words { "\($0)" }.unicodeScalars.prefix(300))
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
