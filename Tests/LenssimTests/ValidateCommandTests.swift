import ChatModelConformance
import Conformance
import Foundation
import FoundationXML
import HTTPTypes
import LiveTransport
import ObjectStoreConformance
import TestSupport
import Testing
import Transport

/// `lenssim validate` against services at an address: those of `lenssim serve`, of which it knows nothing else.
@Suite("Suites against services that are there", .timeLimit(.minutes(10)))
struct ValidateCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private struct Report: Decodable {
        struct Case: Decodable {
            var id: String
            var result: String
            var reason: String?
        }

        var suite: String
        var skipped: String?
        var cases: [Case]

        func ids(_ result: String) -> Set<String> { Set(cases.filter { $0.result == result }.map(\.id)) }
    }

    /// A service, as its first line describes it.
    private struct Facts: Decodable {
        var baseURL: String?
        var url: String?
        var endpoint: String?
        var accessKey: String?
        var secretKey: String?
        var apiKey: String?
        var bucket: String?
        var anonKey: String?
        var serviceKey: String?
        var deviceID: String?
        var password: String?
        var port: Int?

        var key: String { apiKey ?? anonKey ?? password ?? "" }
    }

    private func conform(
        _ arguments: [String],
        key: String? = nil
    ) async throws -> (run: CommandLineRun, report: Report) {
        let run = try await CommandLineRun.run(
            ["validate"] + arguments + ["--json"],
            in: folder.path,
            environment: key.map { ["SOME_KEY": $0] } ?? [:]
        )
        if let key {
            #expect(!run.output.contains(key) && !run.errors.contains(key), "the key is shown nowhere")
        }
        return (run, try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)))
    }

    /// Runs a body beside a service.
    private func serving(
        _ arguments: [String],
        _ body: (Facts) async throws -> Void
    ) async throws {
        let started = try CommandLineRun.start(["serve"] + arguments + ["--json"], in: folder.path)
        try await started.waits(for: "}\n")
        let line = try #require(started.output().split(separator: "\n").first, "\(started.errors())")
        let result: Result<Void, any Error>
        do {
            let facts = try JSONDecoder().decode(Facts.self, from: Data(line.utf8))
            result = .success(try await body(facts))
        } catch { result = .failure(error) }
        started.process.terminate()
        _ = try await started.finish()
        try result.get()
    }

    @Test func `a chat model is asked all that a service answers by itself`() async throws {
        try await serving(["gemini"]) { facts in
            let (run, report) = try await conform(
                ["chat-model", "--endpoint", try #require(facts.baseURL), "--key-from", "SOME_KEY"],
                key: facts.key
            )
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            let asked: Set = [
                "question.whole", "question.stream", "question.cost", "question.tokens", "failure.invalidKey",
                "question.unknownModel",
            ]
            #expect(report.ids("passed") == asked, "\(run.output)")
            #expect(report.cases.filter { $0.result == "skipped" }.allSatisfy { $0.reason?.isEmpty == false })
        }
    }

    @Test func `a live model is asked everything but what it is said to lack`() async throws {
        try await serving(["gemini"]) { facts in
            try Data((facts.key + "\n").utf8).write(to: URL(filePath: folder.file("key")))
            let (run, report) = try await conform([
                "live-model", "--endpoint", try #require(facts.baseURL), "--key-file", folder.file("key"),
                "--without",
                "marks",
            ])
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(!run.output.contains(facts.key) && !run.errors.contains(facts.key))
            #expect(report.ids("skipped") == ["sound.marks"] && report.ids("passed").count == 23)
        }
    }

    @Test func `a storage is used in a folder of its own, which is empty at the end`() async throws {
        try await serving(["supabase"]) { facts in
            let (run, report) = try await conform(
                [
                    "store", "--endpoint", try #require(facts.url), "--bucket", try #require(facts.bucket),
                    "--key-from", "SOME_KEY",
                ],
                key: facts.serviceKey
            )
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(
                report.ids("passed").isSuperset(of: [
                    "public.served", "trouble.unauthorized.put", "move.whole",
                ])
            )
            let skipped = report.ids("skipped").filter {
                !$0.hasPrefix("trouble.") && !$0.hasPrefix("checkpoint.")
            }
            #expect(skipped == ["limit.store", "condition.matches"] && report.ids("failed").isEmpty)
            #expect(try await listing(facts) == "[]")
        }
    }

    @Test func `an S3 is used as a storage, and a wrong secret fails its cases`() async throws {
        try await serving(["s3"]) { facts in
            let place = [
                "store", "--endpoint", try #require(facts.endpoint), "--bucket", try #require(facts.bucket),
                "--access-key", try #require(facts.accessKey), "--key-from", "SOME_KEY",
            ]
            let (run, report) = try await conform(place, key: facts.secretKey)
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(report.ids("passed").isSuperset(of: ["public.served", "trouble.unauthorized.put"]))
            let skipped = report.ids("skipped").filter {
                !$0.hasPrefix("trouble.") && !$0.hasPrefix("checkpoint.")
            }
            #expect(skipped == ["limit.store", "move.whole", "move.refused"] && report.ids("failed").isEmpty)
            let (refused, _) = try await conform(place, key: "a-secret-of-nobody")
            #expect(refused.status == 1)
        }
    }

    @Test func `a folder is a storage, and what was put there is removed`() async throws {
        let (run, report) = try await conform(["store", "--folder", "./objects"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(
            report.ids("passed").isSuperset(of: [
                "content.large", "list.pages", "move.whole", "condition.matches",
            ])
        )
        #expect(report.ids("failed").isEmpty)
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.file("objects"))
        #expect(left.allSatisfy { $0.hasSuffix(".d") || $0.hasPrefix(".") && !$0.hasSuffix(".json") })
    }

    /// What the storage itself lists in the folder of conformance.
    private func listing(_ facts: Facts) async throws -> String {
        let client = try LiveTransport()
        var request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: String(try #require(facts.url).dropFirst("http://".count)),
            path: "/storage/v1/object/list/\(facts.bucket ?? "")"
        )
        request.headerFields[.authorization] = "Bearer \(facts.serviceKey ?? "")"
        request.headerFields[.contentType] = "application/json"
        let body = HTTPBody.text(#"{"prefix":"conformance","limit":10}"#)
        let answer = try await client.send(request, body: body, timeout: .seconds(30))
        let text = String(decoding: try await answer.body.collect(upTo: 100_000), as: UTF8.self)
        await client.shutdown()
        return text
    }

    @Test func `a Wi-Fi camera is run against the suite of cameras`() async throws {
        try await serving(["camera"]) { facts in
            let (run, report) = try await conform(
                [
                    "camera", "--endpoint", "127.0.0.1:\(try #require(facts.port))", "--device-id",
                    try #require(facts.deviceID), "--key-from", "SOME_KEY",
                ],
                key: facts.key
            )
            #expect(run.status == 0, "\(run.output)\(run.errors)")
            #expect(report.ids("passed").isSuperset(of: ["connect.frames", "connect.denied", "frame.order"]))
            #expect(
                report.cases.allSatisfy { $0.result == "passed" || $0.reason?.hasPrefix("it needs") == true }
            )
        }
    }

    @Test func `a service that refuses the key fails its cases, and the key is not in what they say`()
        async throws
    {
        try await serving(["gemini"]) { facts in
            let (run, report) = try await conform(
                ["chat-model", "--endpoint", try #require(facts.baseURL), "--key-from", "SOME_KEY"],
                key: "sesame-of-somebody"
            )
            #expect(run.status == 1)
            #expect(report.ids("failed").isSuperset(of: ["question.whole", "question.unknownModel"]))
            #expect(report.ids("passed") == ["failure.invalidKey"])
        }
    }

    @Test(
        "LENS-256 each backend of a protocol goes through the same cases, and a real one whose key or device is not there is skipped with the reason"
    )
    func backends() async throws {
        var ran: [(suite: String, report: Report)] = [
            ("stores", try await conform(["store", "--folder", "./objects"]).report)
        ]
        try await serving(["s3"]) { facts in
            let place = [
                "store", "--endpoint", try #require(facts.endpoint), "--bucket", try #require(facts.bucket),
                "--access-key", try #require(facts.accessKey), "--key-from", "SOME_KEY",
            ]
            ran.append(("stores", try await conform(place, key: facts.secretKey).report))
        }
        try await serving(["gemini"]) { facts in
            let place = ["chat-model", "--endpoint", try #require(facts.baseURL), "--key-from", "SOME_KEY"]
            ran.append(("chat models", try await conform(place, key: facts.key).report))
        }
        // The same that simulators and clients go through in tests.
        let cases = [
            "stores": ObjectStoreConformance.cases.map(\.id),
            "chat models": ChatModelConformance.cases.map(\.id),
        ]
        for (suite, report) in ran {
            #expect(report.cases.map(\.id) == cases[suite] && report.skipped == nil, "\(suite)")
            #expect(report.ids("failed").isEmpty && report.ids("passed").count > 5)
            let skipped = report.cases.filter { $0.result == "skipped" }
            #expect(skipped.allSatisfy { $0.reason?.isEmpty == false })
        }
        for (arguments, reason) in Self.absent {
            let (run, report) = try await conform(arguments)
            #expect(run.status == 0 && report.cases.isEmpty)
            #expect(report.skipped?.contains(reason) == true, "\(run.output)")
        }
    }

    /// Real ones that are not there, and why they cannot be tried.
    private static let absent = [
        (["chat-model", "--key-from", "SOME_KEY"], "the environment variable SOME_KEY is empty"),
        (["live-model"], "no key was given"), (["store"], "no address was given"),
        (["store", "--endpoint", "https://example.test"], "no key was given"),
        (["camera", "--endpoint", "/dev/no-camera"], "/dev/no-camera"),
        (["camera", "--endpoint", "127.0.0.1", "--device-id", "VSTK-123456-ABCDE"], "no key was given"),
    ]

    @Test(
        arguments: [
            (
                ["chat-model", "--endpoint", "http://example.test", "--key-from", "SOME_KEY"], "use https",
                Int32(64)
            ),
            (["store", "--endpoint", "http://example.test", "--key-from", "SOME_KEY"], "use https", 64),
            (["chat-model", "--key-from", "SOME_KEY", "--without", "wings"], "no capability “wings”", 64),
            (["chat-model", "--key-file", "no-such-file"], "there is no file no-such-file", 66),
            (["chat-model", "--folder", "objects"], "A folder is a storage", 64),
            (
                ["store", "--folder", "objects", "--endpoint", "https://a.example"], "A folder is a storage",
                64
            ),
            (["store", "--folder", "no/such/parent"], "no/such/parent", 74),
        ]
    )
    func `what cannot be meant is refused before anything is sent`(
        _ arguments: [String],
        _ message: String,
        _ status: Int32
    ) async throws {
        let run = try await CommandLineRun.run(
            ["validate"] + arguments,
            in: folder.path,
            environment: ["SOME_KEY": "sesame"]
        )
        #expect(run.status == status && run.errors.contains(message), "\(run.status) \(run.errors)")
    }

    @Test func `results are JUnit's XML for CI, and stand beside each other in a matrix`() async throws {
        let hostile = "<b>&\"'\u{1b}[31m"
        let (whole, _) = try await conform([
            "store", "--folder", "./objects", "--out", "good.json", "--junit", "good.xml",
        ])
        #expect(whole.status == 0)
        try await serving(["gemini"]) { facts in
            let (wrong, _) = try await conform(
                [
                    "chat-model", "--endpoint", try #require(facts.baseURL), "--key-from", "SOME_KEY",
                    "--name",
                    hostile, "--out", "bad.json", "--junit", "bad.xml",
                ],
                key: "sesame-of-somebody"
            )
            #expect(wrong.status == 1)
        }
        _ = try await conform(["live-model", "--out", "none.json", "--junit", "none.xml"])
        func file(_ name: String) throws -> String {
            try String(contentsOfFile: folder.file(name), encoding: .utf8)
        }

        let good = try file("good.xml")
        #expect(
            good.contains(
                "<testsuite name=\"object store: ./objects\" tests=\"57\" failures=\"0\" errors=\"0\" skipped=\"17\">"
            )
        )
        #expect(good.contains("<testcase classname=\"object store.move\" name=\"move.whole: "))
        #expect(good.contains("><skipped message=\"it needs "))
        let bad = try file("bad.xml")
        #expect(bad.contains("<testsuite name=\"chat model: &lt;b&gt;&amp;&quot;&#39;[31m\""))
        #expect(bad.contains("<failure message=\"expected that "))
        for (name, text) in [("good", good), ("bad", bad), ("none", try file("none.xml"))] {
            #expect(XMLParser(data: Data(text.utf8)).parse(), "\(name)")
        }
        // What was not tried is seen.
        #expect(try file("none.xml").contains("skipped=\"1\">"))
        #expect(try file("none.xml").contains("<skipped message=\"no key was given;"))

        let run = try await CommandLineRun.run(
            ["matrix", "good.json", "bad.json", "none.json", "good.json", "--html", "matrix.html"],
            in: folder.path
        )
        #expect(run.status == 0, "\(run.errors)")
        #expect(
            run.output.contains("object store\n  ./objects  40 passed, 0 failed, 17 skipped\nchat model\n")
        )
        #expect(run.output.contains("live model\n  Google  skipped: no key was given;"))
        #expect(!run.output.contains("\u{1b}"))
        let page = try file("matrix.html")
        #expect(page.components(separatedBy: "<th scope=\"col\">").count == 4)
        #expect(page.contains("<th scope=\"row\">&lt;b&gt;&amp;&quot;&#39;[31m</th>"))
        #expect(page.contains("<td class=\"passed\">1 met</td><td class=\"failed\">5 not met</td>"))
        #expect(!page.contains("<b>") && !page.contains("sesame"))
        #expect(
            page.contains(
                "<th scope=\"row\">what is put is what is got, whatever the bytes <code>content.bytes</code></th>"
            )
        )
    }

    @Test func `a matrix of what is no result is refused`() async throws {
        try Data("{}".utf8).write(to: URL(filePath: folder.file("other.json")))
        let other = try await CommandLineRun.run(["matrix", "other.json"], in: folder.path)
        #expect(other.status == 65 && other.errors.contains("other.json has no result of lenssim validate"))
        let missing = try await CommandLineRun.run(["matrix", "missing.json"], in: folder.path)
        #expect(missing.status == 66 && missing.errors.contains("missing.json"))
    }

    @Test
    func `a suite that fails before its end leaves an error in its files, and nothing of an earlier run`()
        async throws
    {
        for name in ["a.xml", "a.json"] {
            try Data("<testsuites failures=\"0\"/>".utf8).write(to: URL(filePath: folder.file(name)))
        }
        let run = try await CommandLineRun.run(
            ["validate", "store", "--folder", "no/such/parent", "--junit", "a.xml", "--out", "a.json"],
            in: folder.path
        )
        #expect(run.status == 74)
        let xml = try String(contentsOfFile: folder.file("a.xml"), encoding: .utf8)
        #expect(
            xml.contains("errors=\"1\"") && xml.contains("<error message=\"")
                && xml.contains("no/such/parent")
        )
        #expect(XMLParser(data: Data(xml.utf8)).parse())
        let matrix = try await CommandLineRun.run(["matrix", "a.json"], in: folder.path)
        #expect(matrix.output.contains("no/such/parent  error: "))
    }

    @Test func `results that cannot be written are known before anything is asked`() async throws {
        let run = try await CommandLineRun.run(
            ["validate", "store", "--folder", "objects", "--junit", "no/a.xml"],
            in: folder.path
        )
        #expect(run.status == 74 && run.errors.contains("could not write no/a.xml"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("objects")))
    }

    @Test(arguments: ["https://user:pass-word@example.test", "https://example.test/?key=pass-word"])
    func `an address with a key in it is refused, and shown nowhere`(_ endpoint: String) async throws {
        let run = try await CommandLineRun.run(
            ["validate", "chat-model", "--endpoint", endpoint, "--junit", "a.xml"],
            in: folder.path
        )
        #expect(run.status == 64 && run.errors.contains("without a user and without a query"))
        #expect(
            !run.errors.contains("pass-word") && !FileManager.default.fileExists(atPath: folder.file("a.xml"))
        )
    }
}
