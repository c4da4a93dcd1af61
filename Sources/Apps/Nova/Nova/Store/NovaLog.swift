internal import AppKernel
internal import Concurrency
internal import Foundation
internal import GRDB

/// What one person has done: what waits in the queue, and what of it was done last.
///
/// An entry becomes something done in the transaction in which it leaves the queue, so nobody sees it in neither place, or in both.
struct NovaLog: Sendable {
    /// How much that was done is remembered: more than is done while a reading is under way.
    private static let remembered: Int64 = 100
    /// How many comments wait at most, with those that have failed.
    static let mostComments = 100
    /// How many publications wait at most, with those that have failed.
    static let mostPublications = 20
    /// How many bytes their pictures have at most.
    static let mostPictureBytes = 64 << 20
    private static let steps = [
        SchemaStep(
            "nova-1",
            sql: """
                CREATE TABLE novaDone (
                    position INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, value BLOB NOT NULL);
                CREATE TABLE novaPicture (id TEXT PRIMARY KEY NOT NULL, account TEXT NOT NULL, bytes BLOB NOT NULL);
                CREATE TABLE novaCache (
                    account TEXT NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL, at REAL NOT NULL,
                    position INTEGER NOT NULL, PRIMARY KEY (account, name)) WITHOUT ROWID;
                """
        )
    ]

    let account: String
    let database: AppDatabase
    let outbox: Outbox<NovaWork>
    private let isOpen = CurrentValue(true)

    /// Whether the session has not ended: what comes later is not kept.
    var isKept: Bool { isOpen.value }

    /// The session ends: what it still asks for, and what its readings still bring, is not kept.
    func close() { isOpen.set(false) }

    /// Opens the log of a person.
    ///
    /// - Throws: `DatabaseFailure`.
    init(of account: String, in database: AppDatabase) throws(DatabaseFailure) {
        (self.account, self.database) = (account, database)
        try database.apply(Self.steps)
        outbox = try Outbox(database: database, name: "actions@\(account)", kinds: NovaWork.policies)
    }

    /// All of it, at one moment.
    ///
    /// - Parameter known: An earlier one, of which what was done is not read again.
    func state(after known: LogState, in database: Database) throws -> LogState {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql:
                    "SELECT position, value FROM novaDone WHERE account = ? AND position > ? ORDER BY position"
            ),
            arguments: [account, known.position]
        )
        let done = rows.compactMap { row -> DoneWork? in
            guard let position = row["position"] as Int64?, let value = row["value"] as Data?,
                var done = try? JSONDecoder().decode(DoneWork.self, from: value)
            else { return nil }
            done.position = position
            return done
        }
        return LogState(
            entries: try outbox.entries(in: database),
            done: (known.done + done).suffix(Int(Self.remembered))
        )
    }

    /// Notes that work is done, in the transaction in which its entry leaves the queue.
    func note(_ done: DoneWork, in database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO novaDone (account, value) VALUES (?, ?)")
            .execute(arguments: [account, JSONEncoder().encode(done)])
        // One person is signed in at a time: what others have done before is not asked for any more.
        try database.cachedStatement(sql: "DELETE FROM novaDone WHERE position <= ?")
            .execute(arguments: [database.lastInsertedRowID - Self.remembered])
    }

    // MARK: Pictures

    /// Keeps a picture until it is published.
    func keep(_ picture: [UInt8], as id: String, in database: Database) throws {
        try database.execute(
            sql: "INSERT INTO novaPicture VALUES (?, ?, ?)",
            arguments: [id, account, Data(picture)]
        )
    }

    /// Whether there is room for another publication, with a picture of so many bytes.
    func hasRoom(forPicture bytes: Int) throws(DatabaseFailure) -> Bool {
        try database.read("count what is to be published") { try hasRoom(forPicture: bytes, in: $0) }
    }

    /// The same in a transaction of the caller's.
    func hasRoom(forPicture bytes: Int, in database: Database) throws -> Bool {
        let row = try Row.fetchOne(
            database,
            sql: "SELECT count(*) AS count, total(length(bytes)) AS bytes FROM novaPicture WHERE account = ?",
            arguments: [account]
        )
        let (count, kept) = (row?["count"] as Int? ?? 0, row?["bytes"] as Double? ?? 0)
        return count < Self.mostPublications && kept + Double(bytes) <= Double(Self.mostPictureBytes)
    }

    /// A picture that is kept; `nil` where there is none.
    func picture(_ id: String) throws(DatabaseFailure) -> [UInt8]? {
        try database.read("read a picture that is to be published") {
            try Data.fetchOne($0, sql: "SELECT bytes FROM novaPicture WHERE id = ?", arguments: [id])
        }.map(Array.init)
    }

    /// Forgets a picture.
    func forgetPicture(_ id: String, in database: Database) throws {
        try database.execute(sql: "DELETE FROM novaPicture WHERE id = ?", arguments: [id])
    }

    // MARK: Cache

    /// Something that Nova has said, with when that was and what was done before it.
    struct Cached<Value> {
        var value: Value
        var age: TimeInterval
        var position: Int64
    }

    /// What is cached under a name; `nil` where there is nothing that can be read.
    func cached<Value: Decodable>(_ name: String, as type: Value.Type) -> Cached<Value>? {
        let row = try? database.read("read the cache of \(name)") {
            try Row.fetchOne(
                $0,
                sql: "SELECT value, at, position FROM novaCache WHERE account = ? AND name = ?",
                arguments: [account, name]
            )
        }
        guard let row, let data = row["value"] as Data?, let at = row["at"] as Double?,
            let position = row["position"] as Int64?,
            let value = try? JSONDecoder().decode(type, from: data)
        else { return nil }
        return Cached(value: value, age: Date().timeIntervalSince1970 - at, position: position)
    }

    /// Caches a value under a name, or nothing; where that fails, what was there is older than it is said to be at most.
    func cache(_ value: (some Encodable)?, as name: String, position: Int64) {
        guard let value else { return cache(document: nil, as: name, position: position) }
        guard let document = try? JSONEncoder().encode(value) else { return }
        cache(document: document, as: name, position: position)
    }

    /// Caches a value as the document of JSON that it is, or nothing; as ``cache(_:as:position:)``.
    func cache(document: Data?, as name: String, position: Int64) {
        try? database.write("write the cache of \(name)") { database in
            guard isOpen.value else { return }
            guard let document else {
                try database.cachedStatement(sql: "DELETE FROM novaCache WHERE account = ? AND name = ?")
                    .execute(arguments: [account, name])
                return
            }
            try database.cachedStatement(sql: "INSERT OR REPLACE INTO novaCache VALUES (?, ?, ?, ?, ?)")
                .execute(arguments: [account, name, document, Date().timeIntervalSince1970, position])
        }
    }

    /// Forgets all that is known of the person; attempts under way are cancelled.
    func forgetAll() throws(DatabaseFailure) {
        close()
        try database.write("forget an account") { database in
            try outbox.cancelAll(in: database)
            for table in ["novaDone", "novaPicture", "novaCache"] {
                try database.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account])
            }
        }
    }
}

/// The log of a person at one moment.
struct LogState: Sendable, Equatable {
    /// What Nova does not have yet, oldest first.
    var entries: [OutboxEntry<NovaWork>] = []
    /// What was done last, oldest first.
    var done: [DoneWork] = []
    /// What is wished for posts, as far as Nova has not done it.
    private var wishes: [String: Bool] = [:]

    init(entries: [OutboxEntry<NovaWork>] = [], done: [DoneWork] = []) {
        (self.entries, self.done) = (entries, done)
        for entry in entries where !entry.isFinal {
            if case .like(let postID, let isLiked) = entry.work { wishes[postID] = isLiked }
        }
    }

    /// Where a reading that is begun now stands.
    var position: Int64 { done.last?.position ?? 0 }

    /// What was done after a position, oldest first.
    func done(after position: Int64) -> ArraySlice<DoneWork> {
        done[(done.lastIndex { $0.position <= position }.map { $0 + 1 } ?? 0)...]
    }

    /// A post as it is shown: as Nova has it, with what waits.
    func fold(_ post: Post) -> Post { wishes[post.id].map { post.liked($0) } ?? post }

    /// The wish that waits for a post; `nil` where none does.
    func wish(for postID: String) -> Bool? { wishes[postID] }

    /// The posts for which something else waits, or nothing any more.
    func posts(withOtherWishesThan other: LogState) -> Set<String> {
        guard wishes != other.wishes else { return [] }
        return Set(wishes.keys).union(other.wishes.keys).filter { wishes[$0] != other.wishes[$0] }
    }

    /// Comments on a post that Nova may have without having said so.
    func attemptedComments(on postID: String) -> [String] {
        entries.compactMap { entry in
            guard case .comment(postID, _) = entry.work, entry.attempts > 0, !entry.isFinal else {
                return nil
            }
            return entry.identity
        }
    }

    /// Comments that Nova does not have yet, the newest first.
    func comments(on postID: String) -> [(entry: OutboxEntry<NovaWork>, text: String)] {
        entries.reversed().compactMap { entry in
            if case .comment(postID, let text) = entry.work { (entry, text) } else { nil }
        }
    }
}
