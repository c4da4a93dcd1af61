public import AppKernel
public import Foundation
internal import GRDB

/// Knows the photos and videos of the documents folder, and where they were uploaded.
///
/// Times are stored as seconds since the start of 2001 in UTC, as `Date` itself counts.
public struct MediaLibrary: Sendable {
    private let database: AppDatabase
    private let documents: FileFolder

    /// Opens the library of `database` over a folder.
    public init(_ database: AppDatabase, documents: FileFolder) throws(DatabaseFailure) {
        self.database = database
        self.documents = documents
        try database.apply([
            SchemaStep(
                "media-1",
                sql: """
                    CREATE TABLE mediaItem (
                        id TEXT PRIMARY KEY NOT NULL,
                        kind TEXT NOT NULL,
                        createdAt REAL NOT NULL,
                        wantsUpload INTEGER NOT NULL,
                        remoteURL TEXT
                    );
                    """
            )
        ])
    }

    /// The name of an item's file: `photo_<id>.jpg` or `video_<id>.mov`.
    public static func fileName(of id: UUID, kind: MediaItem.Kind) -> String {
        let name = id.uuidString.lowercased()
        return switch kind {
        case .photo: "photo_\(name).jpg"
        case .video: "video_\(name).mov"
        }
    }

    /// Notes an item whose file is there; one of the same id is left as it is.
    @discardableResult
    public func add(
        id: UUID,
        kind: MediaItem.Kind,
        createdAt: Date,
        wantsUpload: Bool
    ) throws(DatabaseFailure) -> MediaItem {
        try database.write("note a media file") { database in
            try database.execute(
                sql: """
                    INSERT INTO mediaItem (id, kind, createdAt, wantsUpload) VALUES (?, ?, ?, ?)
                    ON CONFLICT (id) DO NOTHING
                    """,
                arguments: [
                    id.uuidString, kind.rawValue, createdAt.timeIntervalSinceReferenceDate, wantsUpload,
                ]
            )
        }
        return MediaItem(id: id, kind: kind, url: url(of: id, kind), createdAt: createdAt)
    }

    /// All items, newest first.
    ///
    /// The upload status is `completed` or `none`; the queue knows of those between.
    public func items() throws(DatabaseFailure) -> [MediaItem] {
        try list("", "list the media files")
    }

    /// The items whose upload was asked for and is not done.
    public func itemsWantingUpload() throws(DatabaseFailure) -> [MediaItem] {
        try list("WHERE wantsUpload AND remoteURL IS NULL", "list the media files to upload")
    }

    /// Keeps the wish that an item be uploaded.
    public func setWantsUpload(_ id: UUID) throws(DatabaseFailure) {
        try database.write("mark a media file for upload") {
            try $0.execute(
                sql: "UPDATE mediaItem SET wantsUpload = 1 WHERE id = ?",
                arguments: [id.uuidString]
            )
        }
    }

    /// Keeps where an item was uploaded.
    public func setRemoteURL(_ url: String, of id: UUID) throws(DatabaseFailure) {
        try database.write("keep the address of an upload") {
            try $0.execute(
                sql: "UPDATE mediaItem SET remoteURL = ? WHERE id = ?",
                arguments: [url, id.uuidString]
            )
        }
    }

    /// Notes files of the folder that a crash has left without a note, and returns how many.
    ///
    /// Only names that ``fileName(of:kind:)`` makes count; such items are dated now.
    public func adoptFiles(wantsUpload: Bool) throws(DatabaseFailure) -> Int {
        let known = Set(try items().map(\.id))
        var count = 0
        for name in documents.names() {
            guard let (id, kind) = Self.parse(name), !known.contains(id) else { continue }
            try add(id: id, kind: kind, createdAt: Date(), wantsUpload: wantsUpload)
            count += 1
        }
        return count
    }

    private static func parse(_ name: String) -> (UUID, MediaItem.Kind)? {
        for kind in MediaItem.Kind.allCases {
            guard let separator = name.firstIndex(of: "_"), let point = name.lastIndex(of: "."),
                separator < point,
                let id = UUID(uuidString: String(name[name.index(after: separator)..<point])),
                fileName(of: id, kind: kind) == name
            else { continue }
            return (id, kind)
        }
        return nil
    }

    private func list(_ condition: String, _ operation: String) throws(DatabaseFailure) -> [MediaItem] {
        try database.read(operation) { database in
            try Row.fetchAll(
                database.cachedStatement(
                    sql: "SELECT * FROM mediaItem \(condition) ORDER BY createdAt DESC, id"
                )
            ).compactMap(item)
        }
    }

    private func item(_ row: Row) throws -> MediaItem? {
        guard let id = UUID(uuidString: try row.checked("id")),
            let kind = MediaItem.Kind(rawValue: try row.checked("kind"))
        else {
            return nil
        }
        let remote = try row.checkedOptional("remoteURL").flatMap { URL(string: $0) }
        return MediaItem(
            id: id,
            kind: kind,
            url: url(of: id, kind),
            createdAt: Date(timeIntervalSinceReferenceDate: try row.checked("createdAt")),
            uploadStatus: remote == nil ? .none : .completed,
            remoteURL: remote
        )
    }

    private func url(of id: UUID, _ kind: MediaItem.Kind) -> URL {
        URL(filePath: "\(documents.path)/\(Self.fileName(of: id, kind: kind))")
    }
}
