import Foundation
import GRDB
import SessionExport
import SessionRecording
import TestSupport

/// A recording whose rows are written by the test, so that it has whatever the test needs.
struct WrittenSession {
    let folder: TemporaryFolder
    var path: String { folder.file("written.lenssession") }

    /// 2026-11-29 00:00:00 UTC, in nanoseconds since 1970.
    static let startOfTime: Int64 = 1_795_910_400_000_000_000

    /// - Parameter sql: Adds rows.
    init(_ sql: String, arguments: StatementArguments = StatementArguments()) throws {
        folder = try TemporaryFolder()
        let manifest = SessionManifest(
            scenario: "written",
            fidelity: .loopback,
            seed: 1,
            parameters: [:],
            startOfTime: Self.startOfTime,
            recordedBy: "0.1.0"
        )
        try SessionWriter(path: path, manifest: manifest)
            .finish(SessionOutcome(steps: 1, nanoseconds: 9_000_000_000, hash: 0, failure: nil))
        try write(sql, arguments: arguments)
    }

    func write(_ sql: String, arguments: StatementArguments = StatementArguments()) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }

    func reader() throws -> SessionReader { try SessionReader(path: path) }

    /// What an export makes of it.
    func exported(by export: some SessionExporter) throws -> Data {
        var data = Data()
        try export.write(try reader(), to: { data += $0 })
        return data
    }

    /// An exchange of a text with an answer, one of bytes that failed, and one that is still on its way; then a conversation.
    static let exchanges = """
        INSERT INTO connection VALUES (0, 'http'), (1, 'http'), (2, 'http'), (3, 'websocket');
        INSERT INTO message (connection, direction, kind, nanoseconds, bytes) VALUES
            (0, 'out', 'head', 1000000, CAST('POST http://127.0.0.1:80/a?b=c%20d&e\ncontent-type: text/plain\nx-note: it''s' AS BLOB)),
            (0, 'out', 'body', 2000000, CAST('one ''two'' ' AS BLOB)), (0, 'out', 'body', 3000000, CAST('$HOME' AS BLOB)),
            (0, 'out', 'end', 4000000, x''),
            (0, 'in', 'head', 10000000, CAST('302\nlocation: http://127.0.0.1:80/b\ncontent-type: application/json' AS BLOB)),
            (0, 'in', 'body', 11000000, CAST('{"moved":' AS BLOB)), (0, 'in', 'body', 12000000, CAST('true}' AS BLOB)),
            (0, 'in', 'end', 13000000, x''),
            (1, 'out', 'head', 20000000, CAST('PUT http://127.0.0.1:80/bytes' AS BLOB)),
            (1, 'out', 'body', 21000000, x'00ff80'), (1, 'out', 'end', 21000000, x''),
            (1, 'in', 'failure', 25000000, CAST('{"code":"reset","operation":"read","peer":"127.0.0.1:80","detail":"gone"}' AS BLOB)),
            (2, 'out', 'head', 30000000, CAST('GET http://127.0.0.1:80/never' AS BLOB)), (2, 'out', 'end', 30000000, x''),
            (3, 'out', 'head', 40000000, CAST('GET ws://127.0.0.1:80/talk' AS BLOB)),
            (3, 'in', 'head', 41000000, CAST('101' AS BLOB)),
            (3, 'out', 'text', 42000000, CAST('{"said":"grüß"}' AS BLOB)), (3, 'out', 'end', 42000000, x''),
            (3, 'in', 'binary', 43000000, x'0102ff'),
            (3, 'in', 'close', 44000000, CAST('1011 trouble' AS BLOB));
        """
}
