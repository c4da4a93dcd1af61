package import AppKernel
internal import Concurrency
internal import Files
internal import GRDB
package import ScenarioKit
internal import ServiceClient
package import Services
internal import SupabaseStorage

/// Delivers files and words through one outbox: an app over the kits, without screens.
package final class DeliveriesApp: Sendable {
    /// The bucket of all files.
    package static let bucket = "media"

    /// What the app has noted of a wish, in the transaction of its entry.
    package struct Noted: Sendable, Hashable {
        /// How often a receipt was recorded.
        package var recorded: Int
        /// Whether it was cancelled, superseded or replaced while it was in the queue.
        package var isDropped: Bool
        /// Where its file can be read; `nil` for words, and before it is there.
        package var address: String?
    }

    /// How a wish takes its place in the queue.
    package enum Placing: Sendable, Hashable {
        case add, supersede, replace
    }

    private let database: AppDatabase
    private let documents: FileFolder
    private let outbox: Outbox<Delivery>
    private let tasks = OwnedTasks()

    /// Opens the files and the queue, and goes on with what waits.
    ///
    /// - Parameters:
    ///   - device: Where it runs.
    ///   - account: Opens the store.
    ///   - isFirst: Whether no other process of this device has the files open.
    ///   - onAttempt: Learns of each attempt, and how often in a row the process has ended during the work before.
    ///   - onSending: Learns of each attempt that is about to reach its service.
    /// - Throws: `DatabaseFailure` or `FileFailure`.
    package init(
        device: WorldDevice,
        account: StoreAccount,
        isFirst: Bool,
        onAttempt: @escaping @Sendable (_ delivery: Delivery, _ crashes: Int) -> Void,
        onSending: @escaping @Sendable (Delivery) -> Void
    ) throws {
        database = try AppDatabase(path: device.databasePath("deliveries.sqlite"))
        documents = FileFolder(path: device.folder, on: device.files)
        try database.apply([
            SchemaStep(
                "deliveries-1",
                sql: """
                    CREATE TABLE wish (
                        number INTEGER PRIMARY KEY, identity TEXT NOT NULL, recorded INTEGER NOT NULL DEFAULT 0,
                        isDropped INTEGER NOT NULL DEFAULT 0);
                    CREATE TABLE media (number INTEGER PRIMARY KEY, file TEXT NOT NULL, address TEXT);
                    """
            )
        ])
        outbox = try Outbox(
            database: database,
            name: "deliveries",
            kinds: [
                "file": OutboxPolicy(patience: .seconds(90), concurrency: 2),
                "words": OutboxPolicy(concurrency: 3),
                "brief": OutboxPolicy(expiry: .seconds(20), concurrency: 2),
            ]
        )
        if isFirst { try removeOrphans() }
        let effect = Delivering(
            store: account.store(through: device.transport),
            service: ServiceClient(device.transport, policy: .once) {
                [address = device.address(of: "actions")] in ServiceAddress(address)
            },
            documents: documents,
            onAttempt: onAttempt,
            onSending: onSending
        )
        let (network, worker) = (
            device.network,
            OutboxWorker(outbox: outbox, effect: effect, isOnline: device.network.isConnected)
        )
        tasks.replace(with: [
            Task { await worker.run() },
            Task { for await isOnline in network.changes() { await worker.setOnline(isOnline) } },
        ])
    }

    /// The key of a wish's file in the store.
    package static func key(of number: Int) -> ObjectKey { ObjectKey("media/\(number).bin") }

    /// Ends all work.
    package func shutdown() async {
        await tasks.cancelAndWait()
        try? database.close()
    }

    // MARK: Wishes

    /// Accepts words for delivery: wish, entry, or none of both.
    package func say(_ delivery: Delivery, identity: String, _ placing: Placing) throws(DatabaseFailure) {
        try database.write("accept words") { database in
            try enter(delivery, identity, placing, database)
        }
    }

    /// Keeps bytes in a file and accepts it for delivery.
    package func keep(_ bytes: [UInt8], as delivery: Delivery, identity: String) throws {
        guard case .file(let name) = delivery.content else { return }
        try documents.create(name, bytes: bytes)
        do throws(DatabaseFailure) {
            try database.write("accept a file") { database in
                try database.execute(
                    sql: "INSERT INTO media (number, file) VALUES (?, ?)",
                    arguments: [delivery.number, name]
                )
                try enter(delivery, identity, .add, database)
            }
        } catch {
            // Where this fails too, the next start does it.
            try? documents.remove(name)
            throw error
        }
    }

    private func enter(
        _ delivery: Delivery,
        _ identity: String,
        _ placing: Placing,
        _ database: Database
    ) throws {
        try database.execute(
            sql: "UPDATE wish SET isDropped = 1 WHERE identity = ? AND recorded = 0",
            arguments: [identity]
        )
        try database.execute(
            sql: "INSERT INTO wish (number, identity) VALUES (?, ?)",
            arguments: [delivery.number, identity]
        )
        switch placing {
        case .add: try outbox.add(delivery, identity: identity, in: database)
        case .supersede: try outbox.supersede(delivery, identity: identity, in: database)
        case .replace: try outbox.replace(delivery, identity: identity, in: database)
        }
    }

    /// Takes a wish back; false when it is not in the queue any more.
    package func cancel(_ number: Int, identity: String) throws(DatabaseFailure) -> Bool {
        try database.write("take back a wish") { database in
            guard try outbox.entry(identity, in: database)?.work.number == number,
                try outbox.cancel(identity, in: database)
            else { return false }
            // With it goes what it had superseded in work.
            try database.execute(
                sql: "UPDATE wish SET isDropped = 1 WHERE identity = ? AND recorded = 0",
                arguments: [identity]
            )
            return true
        }
    }

    /// Tries again what has failed for good.
    ///
    /// - Returns: The numbers of those wishes.
    package func retryFailed(
        where isWanted: (OutboxEntry<Delivery>) -> Bool = { _ in true }
    ) throws(DatabaseFailure) -> [Int] {
        var numbers: [Int] = []
        for entry in try outbox.entries() where entry.isFinal && isWanted(entry) {
            if try outbox.retry(entry.identity) { numbers.append(entry.work.number) }
        }
        return numbers
    }

    // MARK: Looking

    /// What is in the queue.
    package func entries() throws(DatabaseFailure) -> [OutboxEntry<Delivery>] { try outbox.entries() }

    /// What is damaged in the queue.
    package func damages() throws(DatabaseFailure) -> [String] { try outbox.damages() }

    /// What was noted of wishes, by their numbers.
    package func noted() throws(DatabaseFailure) -> [Int: Noted] {
        try database.read("list the wishes") { database in
            let sql = "SELECT wish.*, address FROM wish LEFT JOIN media USING (number)"
            let rows = try Row.fetchAll(database, sql: sql)
            return try Dictionary(
                uniqueKeysWithValues: rows.map { row in
                    let noted = Noted(
                        recorded: try row.checked("recorded"),
                        isDropped: try row.checked("isDropped"),
                        address: try row.checkedOptional("address")
                    )
                    return (try row.checked("number") as Int, noted)
                }
            )
        }
    }

    /// The names of the files, and of those that belong to a wish.
    package func files() throws(DatabaseFailure) -> (there: Set<String>, known: Set<String>) {
        let known = try database.read("list the media") {
            try String.fetchSet($0, sql: "SELECT file FROM media")
        }
        return (Set(documents.names().filter { $0.hasSuffix(".bin") }), known)
    }

    /// Removes what a crash has left between a file and its wish.
    private func removeOrphans() throws {
        try documents.removePartialFiles()
        let files = try files()
        _ = try documents.remove(files.there.subtracting(files.known).sorted())
    }
}
