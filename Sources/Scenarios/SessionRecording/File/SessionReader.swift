import Foundation
import GRDB
public import Services

/// Reads a recording, which may come from anywhere: whatever is in it, the worst is an error.
public final class SessionReader: Sendable {
    /// Where the file lies.
    public let path: String
    /// What was run.
    public let manifest: SessionManifest
    /// How it ended; `nil` when the recording stopped before its end.
    public let outcome: SessionOutcome?
    /// From when on it is kept, in nanoseconds since the session's start; `nil` when it has all from there.
    ///
    /// Of what was before it has the heads of connections that have something later, and the newest state of each screen.
    public let keptFrom: Int64?
    /// What it has of the pictures that its camera showed.
    ///
    /// `frames` also where pictures were not to be kept, since the camera's maker can make them again.
    public let pictures: Retention.Pictures
    /// What its camera could do; `nil` when that is not kept.
    public let cameraCapabilities: CameraCapabilities?
    /// How many values that services have issued have a word of their own in it.
    public let issued: Int
    /// The version of the file's format.
    let version: Int
    private let database: DatabaseQueue
    /// What is read instead of a file whose writer was killed; it has to stay as long as this object.
    private let interrupted: InterruptedSession?

    /// Opens a file and checks that it is a whole session of a known version.
    ///
    /// Of a file whose writer was killed in the middle of a batch, all batches before it are read.
    ///
    /// - Parameters:
    ///   - path: Where the file lies.
    ///   - checksPages: Whether every page of the file is looked at now, which takes a second or more for each gigabyte. Otherwise damage
    ///     is found where it is read.
    /// - Throws: `missing`, `notAllowed`, `notASession`, `otherVersion`, `damaged`.
    public init(path: String, checksPages: Bool = true) throws(SessionError) {
        guard SessionFormat.isHeader(try Self.prefix(of: path)) else { throw .notASession(path: path) }
        self.path = path
        interrupted = try InterruptedSession(at: path)
        do {
            var configuration = Configuration()
            configuration.readonly = true
            // Whoever is writing it holds it for one batch.
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { db in
                // Nothing in the schema of a file from elsewhere may call functions with effects.
                try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
            }
            database = try DatabaseQueue(path: interrupted?.path ?? path, configuration: configuration)
            let facts: [String: String]
            (version, facts) = try database.read { db in
                let version = try Self.check(db, path, checksPages: checksPages)
                let facts: [String: String] = try Row.fetchAll(db, sql: "SELECT name, value FROM fact")
                    .reduce(into: [:]) {
                        $0[try $1.text("name")] = try $1.text("value")
                    }
                return (version, facts)
            }
            issued = facts["issued"].flatMap { Int($0) } ?? 0
            keptFrom = try facts[SessionFormat.keptFrom].map {
                guard let start = Int64($0), SessionFormat.times.contains(start) else {
                    throw SessionError.damaged(path: path, detail: "it does not say from when on it is kept")
                }
                return start
            }
            pictures =
                try facts[SessionFormat.pictures].map {
                    guard let pictures = Retention.Pictures(rawValue: $0) else {
                        throw SessionError.damaged(
                            path: path,
                            detail: "it does not say what its pictures are"
                        )
                    }
                    return pictures
                } ?? .frames
            guard let text = facts["manifest"] else {
                throw SessionError.damaged(path: path, detail: "it does not say what was run")
            }
            manifest = try JSONDecoder().decode(SessionManifest.self, from: Data(text.utf8))
            outcome = try facts["outcome"].map {
                try JSONDecoder().decode(SessionOutcome.self, from: Data($0.utf8))
            }
            cameraCapabilities = try facts["camera"].map {
                let recorded = try JSONDecoder().decode(RecordedCapabilities.self, from: Data($0.utf8))
                guard let capabilities = recorded.capabilities else {
                    throw SessionError.damaged(path: path, detail: "its camera has a zoom that none has")
                }
                return capabilities
            }
        } catch let error as SessionError {
            throw error
        } catch {
            throw .damaged(path: path, detail: "\(error)")
        }
        guard manifest.isInRange, outcome?.isInRange != false else {
            throw .damaged(path: path, detail: "a time or a number of steps in it is out of range")
        }
    }

    /// Whether it has an end by now, which may be later than when it was opened.
    ///
    /// - Throws: `damaged`.
    public func hasEnded() throws(SessionError) -> Bool {
        if outcome != nil { return true }
        return try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM fact WHERE name = 'outcome'") == 1 }
    }

    /// Whether a recorder has the file open now; without one, a recording that has no end gets none any more.
    public var isBeingWritten: Bool {
        do throws(FileLock.Trouble) {
            try FileLock(path: path, flags: O_RDONLY).release()
            return false
        } catch { return error == .held }
    }

    /// The first bytes of a file.
    private static func prefix(of path: String) throws(SessionError) -> [UInt8] {
        // A pipe must not wait for its other end.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT, ENOTDIR: throw .missing(path: path)
            case EACCES, EPERM: throw .notAllowed(path: path, operation: "read")
            default: throw .damaged(path: path, detail: unsafe String(cString: strerror(errno)))
            }
        }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: SessionFormat.headerCount)
        // A directory opens, and fails only when it is read.
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return Array(bytes.prefix(max(0, count)))
    }

    /// Checks that a file is a whole session, and returns its version.
    private static func check(_ db: Database, _ path: String, checksPages: Bool) throws -> Int {
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard SessionFormat.versions.contains(version) else {
            throw SessionError.otherVersion(path: path, found: version, known: SessionFormat.version)
        }
        // A view or a computed column in a table's place could give rows without end.
        let tables = try SessionFormat.tables(db)
        guard
            try tables
                == DatabaseQueue().write({ fresh in
                    try fresh.execute(sql: SessionFormat.schema(of: version))
                    return try SessionFormat.tables(fresh)
                })
        else {
            throw SessionError.damaged(path: path, detail: "its tables are not those of a session")
        }
        guard checksPages else { return version }
        let faults = try String.fetchAll(db, sql: "PRAGMA quick_check")
        guard faults == ["ok"] else { throw SessionError.damaged(path: path, detail: faults.first ?? "") }
        for name in SessionFormat.tableNames(of: version) {
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM \(name)") ?? 0
            guard count <= SessionFormat.mostRows else {
                throw SessionError.damaged(path: path, detail: "its table \(name) has \(count) rows")
            }
        }
        return version
    }

    /// The most words of issued values that a replay looks for: of more, the last ones.
    private static let mostIssued = 1_024

    /// Looks for secrets, and for what stands in the place of those that services have issued: for comparisons all of them are one.
    package func mask(of secrets: [Secret]) -> SecretMask {
        guard issued > 0 else { return SecretMask(secrets) }
        let words = (max(1, issued - Self.mostIssued + 1)...issued).map { Secret(SecretMask.word(of: $0)) }
        return SecretMask(secrets + words)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(SessionError) -> Value {
        do { return try database.read(body) } catch let error as SessionError { throw error } catch {
            throw .damaged(path: path, detail: "\(error)")
        }
    }
}

extension SessionManifest {
    fileprivate var isInRange: Bool { SessionFormat.clocks.contains(startOfTime) }
}

extension SessionOutcome {
    fileprivate var isInRange: Bool {
        SessionFormat.counts.contains(Int64(steps)) && SessionFormat.times.contains(nanoseconds)
            && SessionFormat.times.contains(stoppedAt ?? 0)
    }
}
