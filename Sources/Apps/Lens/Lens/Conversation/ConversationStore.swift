public import AppKernel
public import Foundation
internal import GRDB

/// Keeps the conversation in the app's database, in the order in which messages were saved.
///
/// Message text is stored as JSON; picture bytes are blobs in tables of their own, so that a large picture costs
/// only those who read it. Of a video the pictures that models get are kept, and its file's name; the file is not.
public struct ConversationStore: Sendable {
    /// Some messages in a row.
    public struct Page: Sendable, Hashable {
        /// The readable messages, oldest first, without the bytes of their pictures.
        public var messages: [ChatMessage]
        /// Stored messages among them that could not be understood; they stay in the file untouched.
        public var unreadable: Int
        /// Whether there are messages before these.
        public var hasEarlier: Bool
    }

    private let database: AppDatabase

    /// Opens the history of `database`.
    public init(_ database: AppDatabase) throws(DatabaseFailure) {
        self.database = database
        try database.apply([
            SchemaStep(
                "conversation-1",
                sql: """
                    CREATE TABLE chatMessage (
                        position INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        body BLOB NOT NULL
                    );
                    CREATE TABLE chatImage (
                        messageID TEXT PRIMARY KEY NOT NULL REFERENCES chatMessage (id) ON DELETE CASCADE,
                        bytes BLOB NOT NULL
                    );
                    """
            ),
            SchemaStep(
                "conversation-2-videos",
                sql: """
                    CREATE TABLE chatVideo (
                        messageID TEXT PRIMARY KEY NOT NULL REFERENCES chatMessage (id) ON DELETE CASCADE,
                        file TEXT NOT NULL
                    );
                    CREATE TABLE chatVideoPicture (
                        messageID TEXT NOT NULL REFERENCES chatMessage (id) ON DELETE CASCADE,
                        number INTEGER NOT NULL,
                        milliseconds INTEGER NOT NULL,
                        bytes BLOB NOT NULL,
                        PRIMARY KEY (messageID, number)
                    );
                    """
            ),
        ])
    }

    /// Saves a message durably, with pictures of its video; one of the same id is replaced in its place.
    public func save(
        _ message: ChatMessage,
        pictures: [ChatMessage.Picture] = []
    ) throws(DatabaseFailure) {
        try database.write("save a message") { database in
            var image: Data?
            if case .image(let bytes, _) = message.content { image = bytes }
            let id = message.id.uuidString
            try database.cachedStatement(
                sql: """
                    INSERT INTO chatMessage (id, body) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET body = excluded.body
                    """
            ).execute(arguments: [id, JSONEncoder().encode(message.withoutPicture)])
            try database.cachedStatement(sql: "DELETE FROM chatImage WHERE messageID = ?")
                .execute(arguments: [id])
            if let image {
                try database.cachedStatement(sql: "INSERT INTO chatImage VALUES (?, ?)")
                    .execute(arguments: [id, image])
            }
            try Self.saveVideo(message, pictures, in: database)
        }
    }

    private static func saveVideo(
        _ message: ChatMessage,
        _ pictures: [ChatMessage.Picture],
        in database: Database
    ) throws {
        let id = message.id.uuidString
        for table in ["chatVideo", "chatVideoPicture"] {
            try database.cachedStatement(sql: "DELETE FROM \(table) WHERE messageID = ?")
                .execute(arguments: [id])
        }
        guard let file = message.videoFile else { return }
        try database.cachedStatement(sql: "INSERT INTO chatVideo VALUES (?, ?)").execute(arguments: [
            id, file,
        ])
        let statement = try database.cachedStatement(sql: "INSERT INTO chatVideoPicture VALUES (?, ?, ?, ?)")
        for (number, picture) in pictures.enumerated() {
            let milliseconds = Int64((picture.time ?? .zero) / .milliseconds(1))
            try statement.execute(arguments: [id, number, milliseconds, picture.jpeg])
        }
    }

    /// Loads the newest messages, or those before one, at most `limit`.
    ///
    /// None are before a message that is not there.
    public func page(before id: UUID?, limit: Int) throws(DatabaseFailure) -> Page {
        try database.read("load the conversation") { database in
            var rows = try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT body FROM chatMessage
                        WHERE ?1 IS NULL OR position < (SELECT position FROM chatMessage WHERE id = ?1)
                        ORDER BY position DESC LIMIT ?2
                        """
                ),
                arguments: [id?.uuidString, limit + 1]
            )
            let hasEarlier = rows.count > limit
            if hasEarlier { rows.removeLast() }
            let messages = rows.reversed().compactMap(Self.message)
            return Page(messages: messages, unreadable: rows.count - messages.count, hasEarlier: hasEarlier)
        }
    }

    /// The bytes of a message's image, or of the first picture of its video; `nil` when it has none.
    public func picture(of id: UUID) throws(DatabaseFailure) -> Data? {
        try pictures(of: id, limit: 1).first?.jpeg
    }

    /// A message's image, or the pictures of its video, in the order of their times.
    public func pictures(of id: UUID) throws(DatabaseFailure) -> [ChatMessage.Picture] {
        try pictures(of: id, limit: -1)
    }

    private func pictures(of id: UUID, limit: Int) throws(DatabaseFailure) -> [ChatMessage.Picture] {
        try database.read("load a picture of the conversation") { database in
            try Row.fetchAll(
                database.cachedStatement(
                    sql: """
                        SELECT -1 AS number, NULL AS milliseconds, bytes FROM chatImage WHERE messageID = ?1
                        UNION ALL SELECT number, milliseconds, bytes FROM chatVideoPicture WHERE messageID = ?1
                        ORDER BY number LIMIT ?2
                        """
                ),
                arguments: [id.uuidString, limit]
            ).map { row in
                let milliseconds: Int64? = try row.checkedOptional("milliseconds")
                return ChatMessage.Picture(
                    try row.checked("bytes"),
                    at: milliseconds.map { .milliseconds($0) }
                )
            }
        }
    }

    /// The names of the files of all videos that messages have.
    public func videoFiles() throws(DatabaseFailure) -> Set<String> {
        try database.read("list the videos of the conversation") { database in
            Set(
                try Row.fetchAll(database.cachedStatement(sql: "SELECT file FROM chatVideo"))
                    .compactMap { try? $0.checked("file") as String }
            )
        }
    }

    /// Deletes a message; it need not be there.
    public func delete(_ id: UUID) throws(DatabaseFailure) {
        try database.write("delete a message") { database in
            try database.cachedStatement(sql: "DELETE FROM chatMessage WHERE id = ?")
                .execute(arguments: [id.uuidString])
        }
    }

    /// Deletes every message.
    public func clear() throws(DatabaseFailure) {
        try database.write("clear the conversation") { try $0.execute(sql: "DELETE FROM chatMessage") }
    }

    private static func message(_ row: Row) -> ChatMessage? {
        guard let body: Data = try? row.checked("body") else { return nil }
        return try? JSONDecoder().decode(ChatMessage.self, from: body)
    }
}
