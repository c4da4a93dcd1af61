public import GRDB
internal import Synchronization

/// The app's one SQLite file: outbox, settings, history, media.
///
/// A change is on the disk when the call that made it returns, unless the database was opened with ``Durability/normal``.
///
/// A program with this module has SQLite not count the memory that it uses: `sqlite3_memory_used` is 0, and limits of its heap do nothing.
///
/// All calls are synchronous and short, unless another program has the file: then they wait for up to ``patience``, and fail with
/// `busy` after it. They may come from any task.
public final class AppDatabase: Sendable {
    /// How long a call waits while another program, such as a backup, has the file.
    public static let patience: Duration = .seconds(5)

    /// The database file.
    public let path: String
    private let queue: DatabaseQueue
    /// Steps of the schema that the file is known to have seen.
    private let steps: Mutex<Set<String>>
    /// Keeps others from opening the file alone; `nil` where it was not opened alone.
    private let ownership: DatabaseOwnership?

    /// Opens the file at `path`, creating it when it is not there.
    ///
    /// A file may be opened with one durability today and with another one tomorrow.
    ///
    /// - Parameters:
    ///   - path: The database file, or `:memory:`.
    ///   - durability: What a change survives once the call that made it has returned.
    /// - Throws: ``DatabaseFailure`` of any code, `cannotOpen` when the folder is missing or may not be written, `busy` when another
    ///   program uses the file and the journal has to change with the durability.
    public convenience init(path: String, durability: Durability = .full) throws(DatabaseFailure) {
        try self.init(path: path, durability: durability, nil)
    }

    init(
        path: String,
        durability: Durability,
        _ ownership: DatabaseOwnership?
    ) throws(DatabaseFailure) {
        self.path = path
        self.ownership = ownership
        var configuration = Configuration()
        configuration.busyMode = .timeout(Self.patience / .seconds(1))
        configuration.prepareDatabase { try durability.prepare($0) }
        do {
            queue = try DatabaseQueue(path: path, configuration: configuration)
            let seen = try queue.write { database in
                try database.execute(
                    sql: "CREATE TABLE IF NOT EXISTS schemaStep (name TEXT PRIMARY KEY NOT NULL)"
                )
                return try String.fetchSet(database, sql: "SELECT name FROM schemaStep")
            }
            steps = Mutex(seen)
        } catch {
            throw DatabaseFailure(error, operation: "open the database", path: path)
        }
    }

    /// Opens a database in memory that begins with what `image` holds, and ends with this object.
    ///
    /// - Throws: ``DatabaseFailure``, `damaged` when the bytes are not a database image.
    public init(beginningAs image: DatabaseImage) throws(DatabaseFailure) {
        path = ":memory:"
        ownership = nil
        var configuration = Configuration()
        configuration.prepareDatabase { try image.load(into: $0) }
        steps = Mutex(image.steps)
        do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
            throw DatabaseFailure(error, operation: "open the image of a database", path: path)
        }
    }

    /// Copies what the database holds now.
    public func image() throws(DatabaseFailure) -> DatabaseImage {
        try read("copy the database") { try DatabaseImage(of: $0) }
    }

    /// Closes the file; every later call fails.
    ///
    /// Idempotent.
    public func close() throws(DatabaseFailure) {
        do {
            try queue.close()
            try ownership?.end()
        } catch {
            throw DatabaseFailure(error, operation: "close the database", path: path)
        }
    }

    /// Reads what was written last.
    ///
    /// There is one connection, which does one thing after the other: this program writes nothing between two statements of a
    /// reading, and it needs no transaction, which would cost four more statements.
    ///
    /// - Parameters:
    ///   - operation: What is done, for the failure: `list the notes`.
    ///   - body: Reads; must not use this object.
    /// - Throws: ``DatabaseFailure``, `unreadableValue` for what the body throws that is no error of SQLite.
    public func read<Value>(
        _ operation: @autoclosure () -> String,
        _ body: (Database) throws -> Value
    ) throws(DatabaseFailure) -> Value {
        do { return try queue.unsafeRead(body) } catch {
            throw DatabaseFailure(error, operation: operation(), path: path)
        }
    }

    /// Writes in one transaction, which is durable when this returns and undone when it throws.
    ///
    /// - Parameters:
    ///   - operation: What is done, for the failure: `mark a note as sent`.
    ///   - body: Writes; must not use this object.
    /// - Throws: As ``read(_:_:)``.
    @discardableResult
    public func write<Value>(
        _ operation: @autoclosure () -> String,
        _ body: (Database) throws -> Value
    ) throws(DatabaseFailure) -> Value {
        do { return try queue.write(body) } catch {
            throw DatabaseFailure(error, operation: operation(), path: path)
        }
    }

    /// Runs the steps of a schema that this file has not seen yet, in order, all or none.
    ///
    /// - Parameters:
    ///   - steps: The steps, in order.
    ///   - whole: What makes in one go what all steps make together, for a file that has seen none of them; `nil` to run the steps.
    /// - Throws: ``DatabaseFailure``, `newerVersion` where the file has seen a later step of the same series than those given: an older
    ///   program does not know what that has changed.
    public func apply(_ steps: [SchemaStep], whole: String? = nil) throws(DatabaseFailure) {
        let seen = self.steps.withLock { $0 }
        try refuse(seen, laterThan: steps)
        guard !seen.isSuperset(of: steps.map(\.name)) else { return }
        let made = try write("set up tables") { database in
            // Another program may have made some since.
            var seen = try String.fetchSet(database, sql: "SELECT name FROM schemaStep")
            try refuse(seen, laterThan: steps)
            let isNew = seen.isDisjoint(with: steps.map(\.name))
            if isNew, let whole { try database.execute(sql: whole) }
            for step in steps where seen.insert(step.name).inserted {
                if !isNew || whole == nil { try database.execute(sql: step.sql) }
                try database.execute(sql: "INSERT INTO schemaStep VALUES (?)", arguments: [step.name])
            }
            return seen
        }
        self.steps.withLock { $0 = made }
    }

    private func refuse(_ seen: Set<String>, laterThan steps: [SchemaStep]) throws(DatabaseFailure) {
        let known = Dictionary(steps.compactMap(\.place), uniquingKeysWith: max)
        for name in seen.sorted() {
            guard let (series, number) = SchemaStep(name, sql: "").place, let last = known[series],
                number > last
            else { continue }
            throw DatabaseFailure(
                .newerVersion,
                operation: "set up tables",
                path: path,
                detail:
                    "the file has the step \(name), and this program knows the steps of “\(series)” up to \(last)"
            )
        }
    }
}

/// One change of the tables, made once in the life of a file.
public struct SchemaStep: Sendable {
    /// Never changed once released, for the file remembers it.
    ///
    /// The steps of one series have names such as `notes-1` and `notes-2-tags`, and are applied together, the later ones after the
    /// earlier ones.
    public var name: String
    /// One or more statements.
    public var sql: String

    /// Names a change.
    public init(_ name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// Series and number, for names that have them.
    fileprivate var place: (series: String, number: Int)? {
        let parts = name.split(separator: "-", maxSplits: 2)
        guard parts.count >= 2, let number = Int(parts[1]) else { return nil }
        return (String(parts[0]), number)
    }
}
