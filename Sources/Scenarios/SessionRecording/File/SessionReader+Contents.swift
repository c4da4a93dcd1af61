import GRDB
import Services
public import Simulation

extension Row {
    func message() throws(UnusableValue) -> RecordedMessage {
        guard let direction = RecordedMessage.Direction(rawValue: try text("direction")),
            let kind = RecordedMessage.Kind(rawValue: try text("kind"))
        else { throw UnusableValue(column: "kind", wanted: "a kind of message") }
        return RecordedMessage(
            connection: Int(try integer("connection", in: SessionFormat.counts)),
            direction: direction,
            kind: kind,
            nanoseconds: try integer("nanoseconds", in: SessionFormat.times),
            bytes: try bytes("bytes")
        )
    }

    func look() throws(UnusableValue) -> RecordedLook {
        RecordedLook(
            nanoseconds: try integer("nanoseconds", in: SessionFormat.times),
            sequence: try optionalInteger("sequence", in: SessionFormat.counts).map { Int($0) },
            timestamp: try integer("timestamp", in: SessionFormat.times),
            hash: UInt64(bitPattern: try integer("hash", in: .min ... .max))
        )
    }

    func event() throws(UnusableValue) -> TraceEvent {
        TraceEvent(
            step: Int(try integer("step", in: SessionFormat.counts)),
            nanoseconds: try integer("nanoseconds", in: SessionFormat.times),
            node: try text("node"),
            kind: try text("kind"),
            detail: try text("detail")
        )
    }

    func screen() throws(UnusableValue) -> RecordedScreen {
        RecordedScreen(
            screen: try text("name"),
            kind: try kindOfScreen(),
            nanoseconds: try integer("nanoseconds", in: SessionFormat.times),
            json: try text("json")
        )
    }
}

extension SessionReader {
    /// The connections that it has something of, in order of opening.
    ///
    /// - Throws: `damaged`.
    public func connections() throws(SessionError) -> [RecordedConnection] {
        try read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT id, kind FROM connection ORDER BY id")
            var next: Int64 = 0
            return try rows.map { row in
                // Messages name their connection by its number, and none is left out but with what was dropped.
                let most = keptFrom == nil ? next : SessionFormat.counts.upperBound
                let number = try row.integer("id", in: next...most)
                next = number + 1
                let kind = try row.text("kind")
                guard SessionFormat.connectionKinds(of: version).contains(kind) else {
                    throw UnusableValue(column: "kind", wanted: "a kind of connection")
                }
                return RecordedConnection(number: Int(number), kind: kind)
            }
        }
    }

    /// Between which rows the messages of each connection are that has some, so that not all are looked through for each.
    ///
    /// - Throws: `damaged`.
    public func messageRows() throws(SessionError) -> [Int: ClosedRange<Int64>] {
        try read { db in
            let sql = "SELECT connection, min(id) AS first, max(id) AS last FROM message GROUP BY connection"
            return try Row.fetchAll(db, sql: sql).reduce(into: [:]) { rows, row in
                let first = try row.integer("first", in: .min ... .max)
                let last = try row.integer("last", in: first ... .max)
                rows[Int(try row.integer("connection", in: SessionFormat.counts))] = first...last
            }
        }
    }

    /// All messages of one connection, in order.
    ///
    /// - Parameters:
    ///   - connection: The number of the connection, as its messages name it.
    ///   - rows: Where they are, as ``messageRows()`` says; `nil` where that is not known.
    public func messages(
        of connection: Int,
        in rows: ClosedRange<Int64>? = nil
    ) throws(SessionError) -> [RecordedMessage] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT connection, direction, kind, nanoseconds, bytes FROM message
                    WHERE id BETWEEN ? AND ? AND connection = ? ORDER BY id
                    """,
                arguments: [rows?.lowerBound ?? .min, rows?.upperBound ?? .max, connection]
            ).map { try $0.message() }
        }
    }

    /// All looks at the camera, in order.
    public func looks() throws(SessionError) -> [RecordedLook] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT nanoseconds, sequence, timestamp, hash FROM look ORDER BY id")
                .map { try $0.look() }
        }
    }

    /// The contents of a frame; `nil` when only its hash was kept.
    public func picture(_ hash: UInt64) throws(SessionError) -> RecordedPicture? {
        try read { db in
            try Row.fetchOne(
                db,
                sql: "SELECT width, height, layout, bytes FROM picture WHERE hash = ?",
                arguments: [Int64(bitPattern: hash)]
            ).map { row in
                let width = try row.optionalInteger("width", in: SessionFormat.sides)
                let height = try row.optionalInteger("height", in: SessionFormat.sides)
                let layout = try row.optionalText("layout").map { name in
                    guard let layout = PixelBuffer.Layout(rawValue: name) else {
                        throw UnusableValue(column: "layout", wanted: "a layout of pixels")
                    }
                    return layout
                }
                let size = width.flatMap { width in
                    height.map { PixelSize(width: Int(width), height: Int($0)) }
                }
                let bytes = try row.bytes("bytes")
                if let layout, size.map({ layout.byteCount(of: $0) }) != bytes.count {
                    throw UnusableValue(column: "bytes", wanted: "as many pixels as its size has")
                }
                return RecordedPicture(size: size, layout: layout, bytes: bytes)
            }
        }
    }

    /// All events of the simulated world, in order.
    public func events() throws(SessionError) -> [TraceEvent] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT step, nanoseconds, node, kind, detail FROM event ORDER BY id")
                .map { try $0.event() }
        }
    }

    /// What its screens showed and what was done on them, in order; nothing in files of former versions.
    public func screens() throws(SessionError) -> [RecordedScreen] {
        try read { db in
            guard try db.tableExists("screen") else { return [] }
            return try Row.fetchAll(db, sql: "SELECT nanoseconds, name, kind, json FROM screen ORDER BY id")
                .map { try $0.screen() }
        }
    }

    /// The files that the program found at its start, by path.
    public func files() throws(SessionError) -> [String: [UInt8]] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT path, bytes FROM file").reduce(into: [:]) { files, row in
                files[try row.text("path")] = try row.bytes("bytes")
            }
        }
    }
}
