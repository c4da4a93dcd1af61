public import AppKernel
public import Concurrency
import Foundation
import GRDB
import ServiceClient
public import Services
public import Transport

/// Notes that are written with or without a network, kept on this device, and sent to a service.
public final class NotesApp: Sendable {
    /// Changes whenever a note does.
    public let changes: Published<Int>

    private let database: AppDatabase
    private let outbox: Outbox<Draft>
    private let tasks = OwnedTasks()

    /// Opens the notes of a database, and goes on sending those that wait.
    ///
    /// - Parameters:
    ///   - database: Keeps notes and outbox.
    ///   - http: Reaches the service.
    ///   - address: Where the service is, such as `https://notes.example.org`.
    ///   - network: Knows whether there is a network.
    ///   - keepsKeys: Whether the attempts of a note share a key. They must: without that notes arrive twice.
    public init(
        database: AppDatabase,
        http: any HTTPClient,
        address: String,
        network: any NetworkMonitor = UnwatchedNetwork(),
        keepsKeys: Bool = true
    ) throws(DatabaseFailure) {
        let table = """
            CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL, isSent INTEGER NOT NULL DEFAULT 0)
            """
        try database.apply([SchemaStep("note-1", sql: table)])
        let service = ServiceClient(http, policy: .once) { ServiceAddress(address) }
        let sending = Sending(service: service, keepsKeys: keepsKeys)
        self.database = database
        outbox = try Outbox(database: database, name: "notes")
        let worker = OutboxWorker(outbox: outbox, effect: sending, isOnline: network.isConnected)
        let count = CurrentValue(0, backlog: 1)
        changes = count.published
        outbox.watch { _ in count.update { $0 += 1 } }
        tasks.replace(with: [
            Task { await worker.run() },
            Task { for await isOnline in network.changes() { await worker.setOnline(isOnline) } },
        ])
    }

    /// Keeps a note; it and the wish to send it are on the disk, both or none, when this returns.
    public func write(_ text: String) throws(DatabaseFailure) {
        try database.write("keep a note") { database in
            try database.execute(sql: "INSERT INTO note (text) VALUES (?)", arguments: [text])
            let draft = Draft(id: Int(database.lastInsertedRowID), text: text)
            try outbox.add(draft, identity: "\(draft.id)", in: database)
        }
    }

    /// Tries what has failed again.
    public func retry() throws(DatabaseFailure) {
        for entry in try outbox.entries() { try outbox.retry(entry.identity) }
    }

    /// All notes, in the order of writing.
    public func notes() throws(DatabaseFailure) -> [Note] {
        try database.read("list the notes") { database in
            let given = try outbox.entries(in: database).filter { $0.state == .failed && $0.due == nil }
            let failed = Set(given.map(\.work.id))
            return try Row.fetchAll(database, sql: "SELECT * FROM note ORDER BY id").map { row in
                let (id, isSent): (Int, Bool) = (try row.checked("id"), try row.checked("isSent"))
                let status: Note.Status = isSent ? .sent : failed.contains(id) ? .failed : .waiting
                return Note(id: id, text: try row.checked("text"), status: status)
            }
        }
    }

    /// Ends all work; what is not sent is sent after the next start.
    public func shutdown() async {
        await tasks.cancelAndWait()
        try? database.close()
    }
}
