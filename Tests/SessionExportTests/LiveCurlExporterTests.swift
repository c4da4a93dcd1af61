import Foundation
import GRDB
import SessionExport
import TestSupport
import Testing

@Suite("A recording as calls of curl", .timeLimit(.minutes(2)))
struct LiveCurlExporterTests {
    /// What a shell gives to curl: the arguments of each call, and what it reads.
    private func calls(_ written: WrittenSession) throws -> [(arguments: [String], input: Data)] {
        let script = try written.exported(by: CurlExporter())
        let text = String(decoding: script, as: UTF8.self)
        #expect(text.hasPrefix("#!/bin/sh\n"))
        let folder = written.folder.file("calls")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // Each call writes its arguments, each with a byte 0 behind it, and what it reads where it was told to read.
        let curl = """
            curl() {
                n=$(($(ls '\(folder)' | wc -l) / 2 + 1))
                printf '%s\\0' "$@" > '\(folder)'/$n.arguments
                case "$*" in *'--data-binary @-'*) cat ;; esac > '\(folder)'/$n.input
            }

            """
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        let file = written.folder.file("calls.sh")
        try Data((curl + text).utf8).write(to: URL(filePath: file))
        process.arguments = ["-eu", file]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try (1...).lazy.map { "\(folder)/\($0)" }
            .prefix { FileManager.default.fileExists(atPath: "\($0).arguments") }
            .map { name in
                let arguments = try Data(contentsOf: URL(filePath: name + ".arguments")).split(
                    separator: 0,
                    omittingEmptySubsequences: false
                )
                return (
                    arguments.dropLast().map { String(decoding: $0, as: UTF8.self) },
                    try Data(contentsOf: URL(filePath: name + ".input"))
                )
            }
    }

    @Test func `a shell gives curl each request as it was sent, whatever letters are in it`() throws {
        let calls = try calls(WrittenSession(WrittenSession.exchanges))
        try #require(calls.count == 3)
        #expect(
            calls[0].arguments == [
                "--globoff", "--request", "POST", "--url", "http://127.0.0.1:80/a?b=c%20d&e", "--header",
                "content-type: text/plain",
                "--header", "x-note: it's", "--data-raw", "one 'two' $HOME",
            ]
        )
        #expect(
            calls[1].arguments == [
                "--globoff", "--request", "PUT", "--url", "http://127.0.0.1:80/bytes", "--header",
                "content-type:",
                "--data-binary", "@-",
            ]
        )
        #expect(calls[1].input == Data([0, 0xff, 0x80]))
        #expect(
            calls[2].arguments == ["--globoff", "--request", "GET", "--url", "http://127.0.0.1:80/never"]
        )
    }

    @Test func `nothing of a hostile recording is run by the shell, and long bodies arrive whole`() throws {
        let hostile =
            "GET http://127.0.0.1/$(touch owned)`touch owned`'; touch owned; '\nx-a: \\'\"$(touch owned)"
        let body = String(repeating: "long ' $x ", count: 20_000)
        let written = try WrittenSession(
            """
            INSERT INTO connection VALUES (0, 'http'), (1, 'http');
            INSERT INTO message VALUES (1, 0, 'out', 'head', 0, :head),
                (2, 0, 'in', 'failure', 0, CAST('{"code":"reset","operation":"read","peer":"p","detail":"two\\ntouch owned"}' AS BLOB)),
                (3, 1, 'out', 'head', 0, CAST('HEAD http://127.0.0.1/long' AS BLOB)), (4, 1, 'out', 'body', 0, :body);
            """,
            arguments: ["head": Data(hostile.utf8), "body": Data(body.utf8)]
        )
        let calls = try calls(written)
        try #require(calls.count == 2)
        #expect(calls[0].arguments[4] == "http://127.0.0.1/$(touch owned)`touch owned`'; touch owned; '")
        #expect(calls[0].arguments.last == "x-a: \\'\"$(touch owned)")
        #expect(Array(calls[1].arguments.prefix(3)) == ["--globoff", "--request", "HEAD"])
        #expect(calls[1].input == Data(body.utf8))
        #expect(!FileManager.default.fileExists(atPath: "owned"))
    }

    @Test
    func
        `fields without a value stay, those that curl would read a file for go, and a HEAD asks for no body`()
        throws
    {
        let head = "HEAD http://127.0.0.1/[1-3]{a,b}\nx-empty: \n@etc: passwd\naccept: */*"
        let written = try WrittenSession(
            "INSERT INTO connection VALUES (0, 'http'); INSERT INTO message VALUES (1, 0, 'out', 'head', 0, :head);",
            arguments: ["head": Data(head.utf8)]
        )
        #expect(
            try calls(written).map(\.arguments) == [
                [
                    "--globoff", "--head", "--url", "http://127.0.0.1/[1-3]{a,b}", "--header", "x-empty;",
                    "--header", "accept: */*",
                ]
            ]
        )
    }
}
