public import AppKernel
public import Files
public import Foundation
package import GRDB
internal import QuickTime
internal import Synchronization

/// Knows the photos and videos of the documents folder, and where they were uploaded.
///
/// A wish to upload and an address are about one store: an item whose upload was asked of another store, or which lies
/// there, counts as not asked for and not uploaded here. Of several stores that an item was brought to, the last is kept.
///
/// A row that cannot be read stands in the way of nothing else: it is left out and counted, and stays in the file.
/// Times are stored as seconds since the start of 2001 in UTC, as `Date` itself counts.
public struct MediaLibrary: Sendable {
    private let database: AppDatabase
    private let documents: FileFolder
    /// The identity of the store that uploads go to.
    let store: String
    private let watchers = Watchers()

    /// Opens the library of `database` over a folder.
    ///
    /// - Parameters:
    ///   - database: Keeps what is known of the files.
    ///   - documents: The folder with the files.
    ///   - store: The identity of the store that uploads go to.
    public init(_ database: AppDatabase, documents: FileFolder, store: String) throws(DatabaseFailure) {
        self.database = database
        self.documents = documents
        self.store = store
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
            ),
            SchemaStep(
                "media-2-deletion",
                sql: "ALTER TABLE mediaItem ADD COLUMN isDeleted INTEGER NOT NULL DEFAULT 0"
            ),
            // Of what is there already nobody knows the store: it is of none.
            SchemaStep("media-3-store", sql: "ALTER TABLE mediaItem ADD COLUMN store TEXT"),
            SchemaStep(
                "media-4-wish",
                sql: "CREATE TABLE mediaWish (id TEXT PRIMARY KEY NOT NULL, store TEXT NOT NULL)"
            ),
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

    /// The name of the small picture of an item: `thumb_<id>.jpg`.
    public static func thumbnailName(of id: UUID) -> String { "thumb_\(id.uuidString.lowercased()).jpg" }

    // MARK: Watching

    /// Calls `watcher` after every later change with the items that have changed.
    ///
    /// The call comes from whatever task made the change; it must be short and must not use the library.
    func watch(_ watcher: @escaping @Sendable (Set<UUID>) -> Void) {
        watchers.all.withLock { $0.append(watcher) }
    }

    private func changed(_ ids: Set<UUID>) {
        for watcher in watchers.all.withLock({ $0 }) { watcher(ids) }
    }

    // MARK: Adding

    /// Keeps the wish that an item be uploaded whose file is about to be written; ``add(id:kind:createdAt:wantsUpload:)`` and
    /// ``adoptFiles()`` take it over.
    func noteWish(for id: UUID) throws(DatabaseFailure) {
        try database.write("note a wish to upload") {
            try $0.cachedStatement(sql: "INSERT INTO mediaWish VALUES (?, ?)")
                .execute(arguments: [id.uuidString, store])
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
            try database.cachedStatement(
                sql: """
                    INSERT INTO mediaItem (id, kind, createdAt, wantsUpload, store) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO NOTHING
                    """
            ).execute(arguments: [
                id.uuidString, kind.rawValue, createdAt.timeIntervalSinceReferenceDate, wantsUpload, store,
            ])
            try database.cachedStatement(sql: "DELETE FROM mediaWish WHERE id = ?")
                .execute(arguments: [id.uuidString])
        }
        changed([id])
        return MediaItem(id: id, kind: kind, url: url(of: id, kind), createdAt: createdAt)
    }

    /// Notes files of the folder that a crash has left without a note, and returns how many.
    ///
    /// Only names that ``fileName(of:kind:)`` makes count. Such an item is dated by its file: a photo was taken when its file was
    /// written, a video began by its length before that. A video that was killed before it had a picture is removed. Their upload is wanted where it was when
    /// the file was written; else it may have been off then, and they are uploaded when that is asked for.
    ///
    /// To be called while no photo is being taken, as at launch.
    public func adoptFiles() throws(DatabaseFailure) -> Int {
        let (known, wishes) = try database.read("list the media files") { database in
            (
                // Of damaged and deleted rows too: their files are no news.
                Set(try String.fetchAll(database, sql: "SELECT CAST(id AS TEXT) FROM mediaItem")),
                // A damaged one is none.
                try Row.fetchAll(database, sql: "SELECT * FROM mediaWish").compactMap { row in
                    (try? row.checked("id")).flatMap { id in (try? row.checked("store")).map { (id, $0) } }
                } as [(id: String, store: String)]
            )
        }
        let wished = Set(wishes.filter { $0.store == store }.map(\.id))
        var count = 0
        for name in documents.names() {
            guard let (id, kind) = Self.parse(name), !known.contains(id.uuidString) else { continue }
            if kind == .video, isWithoutPictures(name) {
                try? documents.remove(name)
                continue
            }
            try add(
                id: id,
                kind: kind,
                createdAt: whenTaken(name, kind),
                wantsUpload: wished.contains(id.uuidString)
            )
            count += 1
        }
        // What is left is of files that were never written.
        if !wishes.isEmpty {
            try database.write("forget wishes to upload") { try $0.execute(sql: "DELETE FROM mediaWish") }
        }
        return count
    }

    /// When the photo or video of a file was taken, as far as the file tells.
    private func whenTaken(_ name: String, _ kind: MediaItem.Kind) -> Date {
        let now = Date()
        guard var time = try? documents.modificationTime(of: name) else { return now }
        if kind == .video, let length = try? MovieReader(name, in: documents).duration {
            time -= length / .seconds(1)
        }
        // A clock that was wrong when the file was written must not put it before all others for good.
        return min(max(time, Date(timeIntervalSince1970: 0)), now)
    }

    /// Whether a video's file is what a recorder leaves that is killed before the first picture is written.
    private func isWithoutPictures(_ name: String) -> Bool {
        let mark = MovieWriter.mark
        guard let beginning = try? documents.read(name, from: 0, count: mark.count),
            mark.starts(with: beginning)
        else { return false }
        do throws(MovieError) {
            return try MovieReader(name, in: documents).frames.isEmpty
        } catch {
            guard case .cut = error else { return false }
            return true
        }
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

    // MARK: Looking

    /// All readable items, newest first.
    ///
    /// The upload status is `completed` or `none`; the queue knows of those between.
    public func items() throws(DatabaseFailure) -> [MediaItem] {
        try database.read("list the media files") { try items(in: $0).readable }
    }

    /// What is wrong with rows that cannot be read; they stay in the file untouched.
    public func damages() throws(DatabaseFailure) -> [String] {
        try database.read("look for damage among the media files") { try items(in: $0).damages }
    }

    /// The items whose upload to this store was asked for and is not done.
    public func itemsWantingUpload() throws(DatabaseFailure) -> [MediaItem] {
        try database.read("list the media files to upload") {
            try items("AND wantsUpload AND store = ? AND remoteURL IS NULL", [store], in: $0).readable
        }
    }

    /// All items that are not deleted, newest first, in a reading of the caller's.
    func items(
        _ condition: String = "",
        _ arguments: StatementArguments = StatementArguments(),
        in database: Database
    ) throws -> (readable: [MediaItem], damages: [String]) {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: "SELECT * FROM mediaItem WHERE NOT isDeleted \(condition) ORDER BY createdAt DESC, id"
            ),
            arguments: arguments
        )
        var (readable, damages): ([MediaItem], [String]) = ([], [])
        for row in rows {
            do { readable.append(try item(row)) } catch {
                damages.append("media file \(row["id"] as DatabaseValue): \(error)")
            }
        }
        return (readable, damages)
    }

    /// One item, in a reading of the caller's; `nil` when there is none, or when it is deleted or damaged.
    func item(_ id: UUID, in database: Database) throws -> MediaItem? {
        try Row.fetchOne(
            database.cachedStatement(sql: "SELECT * FROM mediaItem WHERE id = ? AND NOT isDeleted"),
            arguments: [id.uuidString]
        ).flatMap { try? item($0) }
    }

    private func item(_ row: Row) throws -> MediaItem {
        let (name, kindName): (String, String) = (try row.checked("id"), try row.checked("kind"))
        guard let id = UUID(uuidString: name), let kind = MediaItem.Kind(rawValue: kindName) else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT,
                message: "“\(name)” and “\(kindName)” are no identity and kind"
            )
        }
        let address = try row.checkedOptional("remoteURL").flatMap { URL(string: $0) }
        let remote = try row.checkedOptional("store") == store ? address : nil
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

    // MARK: Uploads

    /// Keeps the wish that an item be uploaded to this store, in a transaction of the caller's; false when there is no such
    /// item.
    func setWantsUpload(_ id: UUID, in database: Database) throws -> Bool {
        try database.cachedStatement(
            sql: """
                UPDATE mediaItem
                SET wantsUpload = 1, remoteURL = CASE WHEN store = :store THEN remoteURL END, store = :store
                WHERE id = :id AND NOT isDeleted
                """
        ).execute(arguments: ["store": store, "id": id.uuidString])
        return database.changesCount == 1
    }

    /// Keeps where in this store an item was uploaded, in the caller's transaction.
    package func setRemoteURL(_ url: String, of id: UUID, in database: Database) throws {
        try database.cachedStatement(sql: "UPDATE mediaItem SET remoteURL = ?, store = ? WHERE id = ?")
            .execute(arguments: [url, store, id.uuidString])
        database.afterNextTransaction { _ in self.changed([id]) }
    }

    /// Where an item was uploaded.
    struct Uploaded: Sendable {
        var id: UUID
        var kind: MediaItem.Kind
        /// The identity of the store.
        var store: String
    }

    /// Those of some items that were uploaded, by the names of their rows, in a reading of the caller's.
    func uploaded(_ ids: Set<UUID>, in database: Database) throws -> [String: Uploaded] {
        var found: [String: Uploaded] = [:]
        for id in ids {
            let row = try Row.fetchOne(
                database.cachedStatement(
                    sql:
                        "SELECT * FROM mediaItem WHERE id = ? AND remoteURL IS NOT NULL AND store IS NOT NULL"
                ),
                arguments: [id.uuidString]
            )
            // Of a damaged row nobody knows what was uploaded.
            guard let row, let store = try? row.checked("store") as String,
                let kind = (try? row.checked("kind") as String).flatMap(MediaItem.Kind.init)
            else { continue }
            found[id.uuidString] = Uploaded(id: id, kind: kind, store: store)
        }
        return found
    }

    // MARK: Deleting

    /// Marks items as deleted, in a transaction of the caller's.
    ///
    /// From then on they are not listed, and ``finishDeletions()`` removes what is left of them.
    func markDeleted(_ ids: Set<UUID>, in database: Database) throws {
        let statement = try database.cachedStatement(sql: "UPDATE mediaItem SET isDeleted = 1 WHERE id = ?")
        for id in ids { try statement.execute(arguments: [id.uuidString]) }
    }

    /// Removes the files and rows of items that are marked as deleted.
    ///
    /// The row goes last, once the removal of the files is durable: until then it keeps ``adoptFiles()`` from
    /// taking the file for a new one.
    ///
    /// - Throws: ``GalleryFailure``; what could not be removed stays marked for the next call.
    func finishDeletions() throws(GalleryFailure) {
        let ids: [UUID]
        do throws(DatabaseFailure) {
            ids = try database.read("list the deleted media files") { database in
                try String.fetchAll(database, sql: "SELECT CAST(id AS TEXT) FROM mediaItem WHERE isDeleted")
                    .compactMap { UUID(uuidString: $0) }
            }
        } catch { throw .library(error) }
        guard !ids.isEmpty else { return }
        let failures: [String: FileFailure]
        do throws(FileFailure) { failures = try documents.remove(ids.flatMap(Self.names)) } catch {
            throw .file(error)
        }
        let removed = ids.filter { id in Self.names(of: id).allSatisfy { failures[$0] == nil } }
        do throws(DatabaseFailure) {
            try database.write("forget deleted media files") { database in
                let statement = try database.cachedStatement(
                    sql: "DELETE FROM mediaItem WHERE id = ? AND isDeleted"
                )
                for id in removed { try statement.execute(arguments: [id.uuidString]) }
            }
        } catch { throw .library(error) }
        if let failure = failures.min(by: { $0.key < $1.key })?.value { throw .file(failure) }
    }

    /// Every name that a file of this item may have: of a damaged row the kind is not known.
    private static func names(of id: UUID) -> [String] {
        MediaItem.Kind.allCases.map { fileName(of: id, kind: $0) } + [thumbnailName(of: id)]
    }
}

/// Shared by the copies of a library.
private final class Watchers: Sendable {
    let all = Mutex<[@Sendable (Set<UUID>) -> Void]>([])
}
