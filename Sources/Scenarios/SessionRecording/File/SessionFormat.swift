import GRDB

/// The layout of a recording: an SQLite database with an application id of its own.
enum SessionFormat {
    /// The value of `PRAGMA application_id`: the letters LSIM.
    static let applicationID = 0x4c53_494d
    /// The value of `PRAGMA user_version`; a change of the tables below, or of what may stand in them, takes the next number.
    static let version = 6
    /// The versions that a reader takes: the first has no screens, the second no datagrams, the third no seals, up to the
    /// fourth all have their beginning and whole pictures, and up to the fifth they have another ``ContentHash``.
    static let versions = 1...version
    /// The first version with seals.
    static let sealedVersion = 4

    /// The fact that says from when on a recording is kept, in nanoseconds since the start; none in one that has its beginning.
    static let keptFrom = "kept_from"

    /// The fact that says what is kept of a camera's pictures, as ``Retention/Pictures`` names it; none where they are whole, or were
    /// not wanted.
    static let pictures = "pictures"

    /// How many bytes of a file tell what it is.
    static let headerCount = 100

    /// Whether a file that begins so is a session, of whatever version.
    ///
    /// Source: "Database File Format" of sqlite.org, section 1.3; the application id lies at offset 68.
    static func isHeader(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == headerCount, bytes.starts(with: Array("SQLite format 3\0".utf8)) else {
            return false
        }
        return bytes[68..<72].reduce(0) { $0 << 8 | Int($1) } == applicationID
    }

    /// What a database holds: tables, and anything else.
    static func tables(_ db: Database) throws -> [Row] {
        try Row.fetchAll(db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name, type")
    }

    /// The tables; a reader takes no others, not even with other blanks.
    static let schema = schema(of: version)

    /// The tables of a version.
    static func schema(of version: Int) -> String {
        """
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);

        """ + tables + (version >= 2 ? screenTable : "")
            + (version >= sealedVersion ? sealTable : "")
    }

    /// The kinds of connections of a version.
    static func connectionKinds(of version: Int) -> [String] {
        ["http", "websocket"] + (version >= 3 ? [datagramKind, interfacesKind, lookUpKind] : [])
    }

    /// A datagram socket, from its binding to its end.
    static let datagramKind = "udp"
    /// A question for the host's interfaces.
    static let interfacesKind = "interfaces"
    /// A question for the addresses of a host.
    static let lookUpKind = "lookup"

    /// The names of the tables of a version.
    static func tableNames(of version: Int) -> [String] {
        ["fact", "connection", "message", "look", "picture", "event", "file"]
            + (version >= 2 ? ["screen"] : []) + (version >= sealedVersion ? ["seal"] : [])
    }

    private static let tables = """
        CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        CREATE TABLE connection (id INTEGER PRIMARY KEY, kind TEXT NOT NULL);
        CREATE TABLE message (
            id INTEGER PRIMARY KEY, connection INTEGER NOT NULL, direction TEXT NOT NULL, kind TEXT NOT NULL,
            nanoseconds INTEGER NOT NULL, bytes BLOB NOT NULL
        );
        CREATE TABLE look (
            id INTEGER PRIMARY KEY, nanoseconds INTEGER NOT NULL, sequence INTEGER, timestamp INTEGER NOT NULL,
            hash INTEGER NOT NULL
        );
        CREATE TABLE picture (hash INTEGER PRIMARY KEY, width INTEGER, height INTEGER, layout TEXT, bytes BLOB NOT NULL);
        CREATE TABLE event (
            id INTEGER PRIMARY KEY, step INTEGER NOT NULL, nanoseconds INTEGER NOT NULL, node TEXT NOT NULL,
            kind TEXT NOT NULL, detail TEXT NOT NULL
        );
        CREATE TABLE file (path TEXT PRIMARY KEY, bytes BLOB NOT NULL);
        """

    private static let screenTable = """

        CREATE TABLE screen (
            id INTEGER PRIMARY KEY, nanoseconds INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL,
            json TEXT NOT NULL
        );
        """

    /// Seals of the rows of one table, as many as were written together; see ``Seal``.
    private static let sealTable = """

        CREATE TABLE seal (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, hashes BLOB NOT NULL);
        """
}
