public import AppKernel
internal import Foundation
internal import GRDB

/// Keeps the conversation in the app's database, in the order in which messages were saved.
///
/// Message text is stored as JSON; picture bytes are blobs in a table of their own, so that a large picture costs
/// only those who read it.
public struct ConversationStore: Sendable {
    /// What a load found.
    public struct Loaded: Sendable, Hashable {
        /// The readable messages, oldest first.
        public var messages: [ChatMessage]
        /// Stored messages that could not be understood; they stay in the file untouched.
        public var unreadable: Int
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
            var stored = message
            var image: Data?
            if case .image(let bytes, let caption) = message.content {
                image = bytes
                stored.content = .image(Data(), caption: caption)
            }
            let id = message.id.uuidString
            try database.cachedStatement(
                sql: """
                    INSERT INTO chatMessage (id, body) VALUES (?, ?)
                    ON CONFLICT (id) DO UPDATE SET body = excluded.body
                    """
            ).execute(arguments: [id, JSONEncoder().encode(stored)])
            try database.cachedStatement(sql: "DELETE FROM chatImage WHERE messageID = ?")
                .execute(arguments: [id])
            if let image {
                try database.execute(sql: "INSERT INTO chatImage VALUES (?, ?)", arguments: [id, image])
            }
        }
    }

    /// Loads the newest messages, at most `limit`, oldest first.
    public func load(newest limit: Int = 10_000) throws(DatabaseFailure) -> Loaded {
        try database.read("load the conversation") { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT body, bytes FROM chatMessage LEFT JOIN chatImage ON messageID = id
                    ORDER BY position DESC LIMIT ?
                    """,
                arguments: [limit]
            )
            let messages = rows.reversed().compactMap(Self.message)
            return Loaded(messages: messages, unreadable: rows.count - messages.count)
        }
    }

    /// Deletes every message.
    public func clear() throws(DatabaseFailure) {
        try database.write("clear the conversation") { try $0.execute(sql: "DELETE FROM chatMessage") }
    }

    private static func message(_ row: Row) -> ChatMessage? {
        guard let body: Data = try? row.checked("body"),
            var message = try? JSONDecoder().decode(ChatMessage.self, from: body)
        else {
            return nil
        }
        if case .image(_, let caption) = message.content {
            guard let bytes: Data? = try? row.checkedOptional("bytes") else { return nil }
            message.content = .image(bytes ?? Data(), caption: caption)
        }
        return message
    }
}
