import Foundation
import GRDB
public import Services
public import Simulation
import Synchronization

/// Writes a recording while the session runs.
///
/// Rows are collected and written in batches, so that recording costs little; a process that is killed leaves a
/// file that ends at its last batch, with SQLite's journal beside it where it was killed in the middle of one. A finished
/// recording is one file, and can be read while it grows. Where a batch cannot be written the recording ends before it: what comes
/// later would have a gap. With a ``Retention`` it keeps the last minutes alone. Safe to use from any thread; rows are kept in the order in which they were added.
public final class SessionWriter: Sendable {
    /// Where the file lies.
    public let path: String
    private let lock: FileLock
    private let state: Mutex<State>
    private let failure: Failure
    private let batches: Batches<Row>
    private let pictures: KnownPictures
    private let keptOfPictures: Retention.Pictures
    private let thumbnails: Thumbnails?
    /// Whether old rows are dropped, which depends on what is over.
    private let isRing: Bool

    /// Something to insert, or what is over.
    private enum Row: Sendable {
        case sealed(SealedRow)
        case unsealed(@Sendable (Database) throws -> Void)
        case closed(connection: Int)
        case ended
    }

    private struct State {
        var connections = 0
        /// Whether the file says that its pictures are not whole.
        var saysPictures = false
        var messages: MaskedMessages
    }

    /// Why the first batch that could not be written was not.
    private final class Failure: Sendable {
        let first = Mutex<SessionError?>(nil)
    }

    /// Creates the file, in the place of an older session or of an empty file if there is one.
    ///
    /// The older session stays whole until the new one is a session too. No other writer can replace the file
    /// before ``finish(_:)``, and none whose process lives.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - manifest: What is recorded.
    ///   - secrets: Values that must not be in the file, in whatever place they turn up.
    ///   - retention: What is kept.
    /// - Throws: `busy`, `occupied`, `notAllowed`, `unwritable`.
    public init(
        path: String,
        manifest: SessionManifest,
        secrets: [Secret] = [],
        retention: Retention = .all
    ) throws(SessionError) {
        self.path = path
        let pictures = KnownPictures()
        let ring = retention.last.map { RecordingRing($0, pictures) }
        (self.pictures, isRing) = (pictures, ring != nil)
        keptOfPictures = retention.pictures
        thumbnails = retention.pictures == .thumbnails ? Thumbnails() : nil
        let mask = SecretMask(secrets)
        state = Mutex(State(messages: MaskedMessages(mask)))
        var manifest = manifest
        manifest.parameters = manifest.parameters.mapValues(mask.masked)
        let place = try SessionPlace(path)
        do {
            let text = String(decoding: try JSONEncoder().encode(manifest), as: UTF8.self)
            lock = try place.replace { new in
                let database = try Self.open(new)
                try database.write { db in
                    try db.execute(sql: SessionFormat.schema)
                    try db.execute(sql: "INSERT INTO fact VALUES ('manifest', ?)", arguments: [text])
                }
                try database.close()
            }
            let database = try Self.open(place.path, wipes: ring != nil)
            let failure = Failure()
            self.failure = failure
            batches = Batches { rows in
                guard failure.first.withLock({ $0 == nil }) else { return }
                do {
                    try database.write { try Self.insert(rows, $0, ring) }
                } catch {
                    // The session goes on without its recording; `finish` tells.
                    failure.first.withLock {
                        $0 = $0 ?? .unwritable(path: path, detail: "\(error)")
                    }
                }
            }
        } catch {
            throw .unwritable(path: path, detail: (error as? FileLock.Trouble)?.detail ?? "\(error)")
        }
    }

    /// How long a batch waits for whoever reads the file: a whole recording is read within it.
    private static let readerPatience = 10.0  // seconds

    /// - Parameter wipes: Whether what is deleted is overwritten: a file that is sent on has nothing of what it dropped.
    private static func open(_ path: String, wipes: Bool = false) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(readerPatience)
        configuration.prepareDatabase { db in
            // A session is not worth waiting for the disk: what is lost with the machine's power is a recording. But a
            // killed process must leave a journal to undo half a batch with; a finished one removes it with the batch.
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF")
            try db.execute(sql: "PRAGMA secure_delete = \(wipes ? "ON" : "OFF")")
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Writes a batch, with the seals of its rows, and drops what is too old then.
    private static func insert(_ rows: [Row], _ db: Database, _ ring: RecordingRing?) throws {
        var seals: [SealedRow.Table: Data] = [:]
        var isEnd = false
        for row in rows {
            switch row {
            case .sealed(let row):
                let number = ring?.number(of: row)
                if ring != nil, number == nil { continue }
                try row.insert(db, number: number).store(in: &seals[row.table, default: Data()])
            case .unsealed(let insert): try insert(db)
            case .closed(let connection): ring?.close(Int64(connection))
            case .ended: isEnd = true
            }
        }
        for table in SealedRow.Table.allCases {
            guard let hashes = seals[table] else { continue }
            try db.execute(
                sql: "INSERT INTO seal (kind, hashes) VALUES (?, ?)",
                arguments: [table.rawValue, hashes]
            )
        }
        try ring?.drop(db, isEnd: isEnd)
    }

    // MARK: Secrets

    /// Keeps more values out of the file from now on, in whatever place they turn up; what was written before stays.
    public func learn(_ secrets: [Secret]) {
        state.withLock { $0.messages.learn(secrets) }
    }

    /// Keeps values out of the file that stood under the name of a credential; of very many, those that were found last.
    func find(_ secrets: [Secret]) {
        state.withLock { $0.messages.find(secrets) }
    }

    /// What is known by now.
    var mask: SecretMask { state.withLock { $0.messages.mask } }

    // MARK: What happened

    /// Notes a new connection.
    ///
    /// Returns its number.
    func openConnection(kind: String) -> Int {
        let number = state.withLock { state in
            defer { state.connections += 1 }
            return state.connections
        }
        add(SealedRow(.connection, [number, kind]), bytes: 0)
        return number
    }

    /// Notes that nothing crosses a connection any more.
    func closeConnection(_ number: Int) {
        // Called where the last use of a connection ends, which is no place to write a batch.
        if isRing { _ = batches.append(.closed(connection: number), bytes: 0) }
    }

    func add(_ message: RecordedMessage) {
        // Under one lock: another thread's message must not come between.
        let isFull = state.withLock { state in
            let issued = state.messages.mask.issued
            let messages = state.messages.pass(message)
            // A word is never in a file that does not know of it.
            if state.messages.mask.issued != issued { append(issued: state.messages.mask.issued) }
            return messages.map(append).contains(true)
        }
        if isFull { batches.flush() }
    }

    /// Adds a row for a message; returns whether there is enough for a batch.
    private func append(_ message: RecordedMessage) -> Bool {
        let row = SealedRow(
            .message,
            [
                message.connection, message.direction.rawValue, message.kind.rawValue, message.nanoseconds,
                Data(message.bytes),
            ]
        )
        return batches.append(.sealed(row), bytes: message.bytes.count)
    }

    /// Adds a row that says how many values have a word of their own by now.
    private func append(issued: Int) {
        _ = batches.append(
            .unsealed { db in
                try db.execute(
                    sql: "INSERT OR REPLACE INTO fact VALUES ('issued', ?)",
                    arguments: ["\(issued)"]
                )
            },
            bytes: 0
        )
    }

    /// Keeps what the camera can do; what was kept before is replaced.
    func add(_ capabilities: CameraCapabilities) {
        // Numbers alone: JSON has all of them but infinity, and no camera enlarges so much.
        guard let json = try? JSONEncoder().encode(RecordedCapabilities(capabilities)) else { return }
        let text = String(decoding: json, as: UTF8.self)
        add(bytes: text.utf8.count) { db in
            try db.execute(sql: "INSERT OR REPLACE INTO fact VALUES ('camera', ?)", arguments: [text])
        }
    }

    /// What is kept of a picture; `nil` for its hash alone.
    private func kept(_ picture: RecordedPicture) -> RecordedPicture? {
        if keptOfPictures == .frames { return picture }
        let isFirst = state.withLock { state in
            defer { state.saysPictures = true }
            return !state.saysPictures
        }
        if isFirst {
            add(bytes: 0) { [keptOfPictures] db in
                try db.execute(
                    sql: "INSERT OR REPLACE INTO fact VALUES (?, ?)",
                    arguments: [SessionFormat.pictures, keptOfPictures.rawValue]
                )
            }
        }
        return thumbnails?.thumbnail(of: picture)
    }

    /// Notes a capture of the camera, and of its picture what is kept if `picture` is given and not known yet.
    func add(_ look: RecordedLook, picture: () -> RecordedPicture?) {
        let isNew = look.sequence != nil && pictures.see(look.hash, at: look.nanoseconds)
        let picture = isNew ? picture().flatMap(kept) : nil
        // The picture first: a file that ends between the two has no look without its picture.
        if let picture {
            add(
                SealedRow(
                    .picture,
                    [
                        Int64(bitPattern: look.hash), picture.size?.width, picture.size?.height,
                        picture.layout?.rawValue, Data(picture.bytes),
                    ]
                ),
                bytes: picture.bytes.count
            )
        }
        add(
            SealedRow(
                .look,
                [look.nanoseconds, look.sequence, look.timestamp, Int64(bitPattern: look.hash)]
            ),
            bytes: 0
        )
    }

    /// Notes an event of the simulated world.
    public func add(_ event: TraceEvent) {
        let detail = mask.masked(event.detail)
        add(
            SealedRow(.event, [event.step, event.nanoseconds, event.node, event.kind, detail]),
            bytes: detail.utf8.count
        )
    }

    /// Notes what a screen shows, or what was done on it.
    package func add(_ screen: RecordedScreen) {
        let json = mask.masked(screen.json)
        add(
            SealedRow(.screen, [screen.nanoseconds, screen.screen, screen.kind.rawValue, json]),
            bytes: json.utf8.count
        )
    }

    /// Keeps a file that the program found at its start.
    public func add(file path: String, bytes: [UInt8]) {
        let bytes = mask.blanked(bytes)
        add(bytes: bytes.count) { db in
            try db.execute(sql: "INSERT OR REPLACE INTO file VALUES (?, ?)", arguments: [path, Data(bytes)])
        }
    }

    /// Writes what is pending; otherwise that waits until it is enough for a batch.
    package func flush() { batches.flush() }

    // MARK: The end

    /// Writes what is pending and how the session ended, and lets others have the file.
    ///
    /// - Throws: ``SessionError/unwritable(path:detail:)``, also for a batch that failed earlier.
    public func finish(_ outcome: SessionOutcome) throws(SessionError) {
        defer { lock.release() }
        try end(outcome)
    }

    /// Does what ``finish(_:)`` does, and opens the session before another writer can replace it.
    ///
    /// - Throws: ``SessionError/unwritable(path:detail:)``, and what the reader throws.
    public func finishAndRead(_ outcome: SessionOutcome) throws(SessionError) -> SessionReader {
        defer { lock.release() }
        try end(outcome)
        return try SessionReader(path: path)
    }

    private func end(_ outcome: SessionOutcome) throws(SessionError) {
        state.withLock { state in
            for message in state.messages.rest() { _ = append(message) }
        }
        var outcome = outcome
        outcome.failure = outcome.failure.map(mask.masked)
        do {
            let text = String(decoding: try JSONEncoder().encode(outcome), as: UTF8.self)
            add(bytes: 0) { db in
                try db.execute(sql: "INSERT INTO fact VALUES ('outcome', ?)", arguments: [text])
            }
        } catch {
            throw .unwritable(path: path, detail: "\(error)")
        }
        _ = batches.append(.ended, bytes: 0)
        batches.flush()
        if let failure = failure.first.withLock({ $0 }) { throw failure }
    }

    private func add(_ row: SealedRow, bytes: Int) {
        if batches.append(.sealed(row), bytes: bytes) { batches.flush() }
    }

    private func add(bytes: Int, _ insert: @escaping @Sendable (Database) throws -> Void) {
        if batches.append(.unsealed(insert), bytes: bytes) { batches.flush() }
    }
}
