import Foundation
import GRDB
import Services
public import Simulation

/// Reads a session file.
public final class SessionReader: Sendable {
    /// Where the file lies.
    public let path: String
    /// What was run.
    public let manifest: SessionManifest
    /// How it ended; `nil` when the recording stopped before its end.
    public let outcome: SessionOutcome?
    private let database: DatabaseQueue

    /// Opens a file and checks that it is a whole session of a known version.
    ///
    /// - Throws: `missing`, `notASession`, `otherVersion`, `damaged`.
    public init(path: String) throws(SessionError) {
        guard FileManager.default.fileExists(atPath: path) else { throw .missing(path: path) }
        // A directory opens, and fails only when it is read.
        let header = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 16)
        guard header == Data("SQLite format 3\0".utf8) else { throw .notASession(path: path) }
        self.path = path
        do {
            var configuration = Configuration()
            configuration.readonly = true
            database = try DatabaseQueue(path: path, configuration: configuration)
            let (application, version) = try database.read { db in
                (
                    try Int.fetchOne(db, sql: "PRAGMA application_id") ?? 0,
                    try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                )
            }
            guard application == SessionFormat.applicationID else {
                throw SessionError.notASession(path: path)
            }
            guard version == SessionFormat.version else {
                throw SessionError.otherVersion(path: path, found: version, known: SessionFormat.version)
            }
            let faults = try database.read { db in try String.fetchAll(db, sql: "PRAGMA quick_check") }
            guard faults == ["ok"] else { throw SessionError.damaged(path: path, detail: faults.first ?? "") }
            let facts = try database.read { db in
                try Row.fetchAll(db, sql: "SELECT name, value FROM fact").reduce(into: [String: String]()) {
                    $0[$1["name"]] = $1["value"]
                }
            }
            guard let text = facts["manifest"] else {
                throw SessionError.damaged(path: path, detail: "it does not say what was run")
            }
            manifest = try JSONDecoder().decode(SessionManifest.self, from: Data(text.utf8))
            outcome = try facts["outcome"].map {
                try JSONDecoder().decode(SessionOutcome.self, from: Data($0.utf8))
            }
        } catch let error as SessionError {
            throw error
        } catch {
            throw .damaged(path: path, detail: "\(error)")
        }
    }

    // MARK: Contents

    /// The kinds of all connections, in order of opening: `http` or `websocket`.
    public func connections() throws(SessionError) -> [String] {
        try read { db in try String.fetchAll(db, sql: "SELECT kind FROM connection ORDER BY id") }
    }

    /// All messages of one connection, in order.
    public func messages(of connection: Int) throws(SessionError) -> [RecordedMessage] {
        try read { db in
            try Row.fetchAll(
                db,
                sql:
                    "SELECT direction, kind, nanoseconds, bytes FROM message WHERE connection = ? ORDER BY id",
                arguments: [connection]
            ).map { row in
                guard let direction = RecordedMessage.Direction(rawValue: row["direction"]),
                    let kind = RecordedMessage.Kind(rawValue: row["kind"])
                else { throw SessionError.damaged(path: self.path, detail: "a message is of no known kind") }
                return RecordedMessage(
                    connection: connection,
                    direction: direction,
                    kind: kind,
                    nanoseconds: row["nanoseconds"],
                    bytes: Array(row["bytes"] as Data)
                )
            }
        }
    }

    /// All looks at the camera, in order.
    public func looks() throws(SessionError) -> [RecordedLook] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT nanoseconds, sequence, timestamp, hash FROM look ORDER BY id")
                .map {
                    RecordedLook(
                        nanoseconds: $0["nanoseconds"],
                        sequence: $0["sequence"],
                        timestamp: $0["timestamp"],
                        hash: UInt64(bitPattern: $0["hash"])
                    )
                }
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
                let width: Int? = row["width"]
                let height: Int? = row["height"]
                let layout: String? = row["layout"]
                return RecordedPicture(
                    size: width.flatMap { width in height.map { PixelSize(width: width, height: $0) } },
                    layout: layout.flatMap { PixelBuffer.Layout(rawValue: $0) },
                    bytes: Array(row["bytes"] as Data)
                )
            }
        }
    }

    /// All events of the simulated world, in order.
    public func events() throws(SessionError) -> [TraceEvent] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT step, nanoseconds, node, kind, detail FROM event ORDER BY id")
                .map {
                    TraceEvent(
                        step: $0["step"],
                        nanoseconds: $0["nanoseconds"],
                        node: $0["node"],
                        kind: $0["kind"],
                        detail: $0["detail"]
                    )
                }
        }
    }

    /// The files that the program found at its start, by path.
    public func files() throws(SessionError) -> [String: [UInt8]] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT path, bytes FROM file").reduce(into: [:]) {
                $0[$1["path"]] = Array($1["bytes"] as Data)
            }
        }
    }

    private func read<Value>(_ body: (Database) throws -> Value) throws(SessionError) -> Value {
        do { return try database.read(body) } catch let error as SessionError { throw error } catch {
            throw .damaged(path: path, detail: "\(error)")
        }
    }
}
