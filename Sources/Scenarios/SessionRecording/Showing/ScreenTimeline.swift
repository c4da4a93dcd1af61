import GRDB

/// What the screens of a recording showed, and what was done on them, read from the file by time.
///
/// Memory has an index of one entry for 1,024 events, and neither states nor actions. Events are numbered from 1 in the
/// order in which they were recorded; a state is shown from its event on.
public final class ScreenTimeline: Sendable {
    /// The recording.
    public let session: SessionReader
    /// The number of events; at least 1.
    public let count: Int
    /// How many of them are actions.
    public let actionCount: Int
    /// How long the session took, in nanoseconds.
    public let nanoseconds: Int64
    /// Where actions are, in thousandths of the time that is kept, in order and each once.
    public let marks: [Int]
    /// The event of the first state of each screen, by the screen's name.
    public let firstStates: [String: Int]

    /// The most events that are read to find one.
    static let stride = 1024
    /// The most screens of an app.
    private static let screenLimit = 64
    /// The largest state or action, in bytes.
    private static let jsonLimit = 4 << 20

    /// What is known at an event.
    public struct Moment: Sendable, Hashable {
        /// The event.
        public var event: Int
        /// When it was, in nanoseconds since the start.
        public var nanoseconds: Int64
        /// The number of actions so far.
        public var actions: Int
        /// The event of each screen's newest state; before a screen's first state, that of the first.
        public var states: [String: Int]
    }

    /// An action, and which event it is.
    public struct Action: Sendable, Hashable {
        /// Its event.
        public var event: Int
        /// What was done.
        public var recorded: RecordedScreen
    }

    private let waypoints: [Moment]
    private let numbers: EventNumbers

    /// Looks through a recording once.
    ///
    /// - Throws: ``SessionError``: `withoutScreens`, also for files of former versions; `damaged`.
    public init(_ session: SessionReader) throws(SessionError) {
        self.session = session
        let survey = try session.read { db in
            guard try db.tableExists("screen"),
                let last = try Row.fetchOne(
                    db,
                    sql: "SELECT nanoseconds FROM screen ORDER BY id DESC LIMIT 1"
                )
            else { throw SessionError.withoutScreens(path: session.path) }
            let end = max(
                session.outcome?.nanoseconds ?? 0,
                try last.integer("nanoseconds", in: SessionFormat.times)
            )
            var survey = Survey(from: session.keptFrom, until: end)
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT id, nanoseconds, name, kind FROM screen ORDER BY id"
            )
            while let row = try rows.next() { try survey.pass(row) }
            return survey
        }
        guard !survey.firstStates.isEmpty else { throw .withoutScreens(path: session.path) }
        count = survey.moment.event
        actionCount = survey.moment.actions
        nanoseconds = survey.nanoseconds
        marks = survey.marks.sorted()
        firstStates = survey.firstStates
        waypoints = survey.waypoints
        numbers = survey.numbers
    }

    // MARK: Finding

    /// The newest event that is not later than a time; the first one before all of them.
    ///
    /// - Throws: `damaged`.
    public func event(at nanoseconds: Int64) throws(SessionError) -> Int {
        let start = waypoint { $0.nanoseconds <= nanoseconds }
        return try session.read { db in
            try Int64.fetchOne(
                db,
                sql: "SELECT max(id) FROM screen WHERE id >= ? AND id <= ? AND nanoseconds <= ?",
                arguments: [
                    numbers.row(of: start.event), numbers.row(of: start.event + Self.stride), nanoseconds,
                ]
            ).map(numbers.event(in:)) ?? 1
        }
    }

    /// What is known at an event; numbers outside the recording are those of its first or last event.
    ///
    /// - Throws: `damaged`.
    public func moment(_ event: Int) throws(SessionError) -> Moment {
        let event = min(max(event, 1), count)
        var moment = waypoint { $0.event <= event }
        try session.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: "SELECT id, nanoseconds, name, kind FROM screen WHERE id > ? AND id <= ? ORDER BY id",
                arguments: [numbers.row(of: moment.event), numbers.row(of: event)]
            )
            while let row = try rows.next() { _ = try moment.pass(row, numbers) }
        }
        moment.states.merge(firstStates) { known, _ in known }
        return moment
    }

    /// Which event an entry is; `nil` for one that is no state or action.
    public func event(of entry: SessionEntry.ID) -> Int? {
        guard entry.table == .screen else { return nil }
        let event = numbers.event(in: entry.row)
        return (1...count).contains(event) ? event : nil
    }

    /// When an event was; `nil` behind the last one.
    ///
    /// - Throws: `damaged`.
    public func time(of event: Int) throws(SessionError) -> Int64? {
        guard (1...count).contains(event) else { return nil }
        return try session.read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT nanoseconds FROM screen WHERE id = ?",
                arguments: [numbers.row(of: event)]
            )
            .map { try $0.integer("nanoseconds", in: SessionFormat.times) }
        }
    }

    // MARK: Contents

    /// The state of an event.
    ///
    /// - Throws: `damaged`.
    public func state(_ event: Int) throws(SessionError) -> RecordedScreen {
        guard let found = try contents("id = ?", [numbers.row(of: event)]).first?.recorded,
            found.kind == .state
        else {
            throw .damaged(path: session.path, detail: "its event \(event) is no state")
        }
        return found
    }

    /// Actions in their order, by their numbers from 0; those that there are.
    ///
    /// - Throws: `damaged`.
    public func actions(_ range: Range<Int>) throws(SessionError) -> [Action] {
        let start = waypoint { $0.actions <= range.lowerBound }
        return try contents(
            "id > ? AND kind = 'action' ORDER BY id LIMIT ? OFFSET ?",
            [numbers.row(of: start.event), range.count, range.lowerBound - start.actions]
        )
    }

    private func contents(
        _ condition: String,
        _ arguments: StatementArguments
    ) throws(SessionError) -> [Action] {
        try session.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT id, nanoseconds, name, kind, json FROM screen WHERE \(condition)",
                arguments: arguments
            )
            .map { row in
                let json = try row.text("json")
                guard json.utf8.count <= Self.jsonLimit else {
                    throw UnusableValue(column: "json", wanted: "a state of \(Self.jsonLimit) bytes at most")
                }
                return Action(
                    event: numbers.event(in: try row.integer("id", in: SessionFormat.counts)),
                    recorded: try row.screen()
                )
            }
        }
    }

    /// The last entry of the index for which a condition holds that holds for no entry behind one for which it does not.
    private func waypoint(_ holds: (Moment) -> Bool) -> Moment {
        var (low, high) = (0, waypoints.count)
        while low < high {
            let middle = (low + high) / 2
            if holds(waypoints[middle]) { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? waypoints[low - 1] : .start
    }

    // MARK: Looking through it

    /// What one reading of all events finds.
    private struct Survey {
        let start: Int64
        let nanoseconds: Int64
        var moment = Moment.start
        var numbers = EventNumbers()
        var waypoints: [Moment] = []
        var firstStates: [String: Int] = [:]
        var marks: Set<Int> = []

        init(from start: Int64?, until end: Int64) { (self.start, nanoseconds) = (start ?? 0, end) }

        mutating func pass(_ row: Row) throws(UnusableValue) {
            try numbers.pass(row, from: start)
            let kind = try moment.pass(row, numbers)
            guard moment.states.count <= screenLimit else {
                throw UnusableValue(column: "name", wanted: "one of \(screenLimit) screens")
            }
            if kind == .action {
                let (time, all) = (max(0, moment.nanoseconds - start), max(1, nanoseconds - start))
                marks.insert(Int(1000 * Double(time) / Double(all)))
            } else if moment.states.count > firstStates.count {
                firstStates = moment.states.merging(firstStates) { $1 }
            }
            if moment.event % stride == 0 { waypoints.append(moment) }
        }
    }
}

extension ScreenTimeline.Moment {
    /// Before the first event.
    fileprivate static let start = Self(event: 0, nanoseconds: 0, actions: 0, states: [:])

    /// Goes on by one event, which has to be the next one and not earlier.
    fileprivate mutating func pass(
        _ row: Row,
        _ numbers: EventNumbers
    ) throws(UnusableValue) -> RecordedScreen.Kind {
        let next = numbers.row(of: event + 1)
        _ = try row.integer("id", in: next...next)
        event += 1
        nanoseconds = try row.integer("nanoseconds", in: nanoseconds...SessionFormat.times.upperBound)
        let kind = try row.kindOfScreen()
        switch kind {
        case .action: actions += 1
        case .state: states[try row.text("name")] = event
        }
        return kind
    }
}

extension Row {
    /// Whether a row is a state or an action.
    func kindOfScreen() throws(UnusableValue) -> RecordedScreen.Kind {
        guard let kind = RecordedScreen.Kind(rawValue: try text("kind")) else {
            throw UnusableValue(column: "kind", wanted: "state or action")
        }
        return kind
    }
}
