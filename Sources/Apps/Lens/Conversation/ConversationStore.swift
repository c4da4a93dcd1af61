public import AppKernel
public import Foundation
internal import GRDB

/// Keeps the conversation in the app's database, in the order in which messages were saved.
///
/// Message text is stored as JSON; picture bytes are blobs in a table of their own, so that a large picture costs
/// only those who read it.
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
            )
        ])
    }

    /// Saves a message durably; one of the same id is replaced in its place.
    public func save(_ message: ChatMessage) throws(DatabaseFailure) {
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
                try database.execute(sql: "INSERT INTO chatImage VALUES (?, ?)", arguments: [id, image])
            }
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

    /// The bytes of a message's picture; `nil` when it has none.
    public func picture(of id: UUID) throws(DatabaseFailure) -> Data? {
        try database.read("load a picture of the conversation") { database in
            try Row.fetchOne(
                database.cachedStatement(sql: "SELECT bytes FROM chatImage WHERE messageID = ?"),
                arguments: [id.uuidString]
            )?.checkedOptional("bytes")
        }
    }

    /// Deletes a message; harmless when it is not there.
    public func delete(_ id: UUID) throws(DatabaseFailure) {
        try database.write("delete a message") { database in
            try database.execute(sql: "DELETE FROM chatMessage WHERE id = ?", arguments: [id.uuidString])
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
