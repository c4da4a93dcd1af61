import AWSSignature
import Foundation
import HTTPTypes
import LiveTransport
import Services
import TestSupport
import Testing
import Transport

/// What a program learns from `lenssim serve --json`, and what it can do with it.
@Suite("Serving for programs", .timeLimit(.minutes(10)))
struct ServedServiceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Starts a service, and reads its one line.
    private func serve(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> (CommandLineRun.Started, [String: String]) {
        let started = try CommandLineRun.start(
            ["serve"] + arguments + ["--json"],
            in: folder.path,
            environment: environment
        )
        try await started.waits(for: "}\n")
        let line = try #require(started.output().split(separator: "\n").first, "\(started.errors())")
        return (started, try JSONDecoder().decode([String: String].self, from: Data(line.utf8)))
    }

    private func end(_ started: CommandLineRun.Started) async throws {
        started.process.terminate()
        let run = try await started.finish()
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.split(separator: "\n").count == 1, "\(run.output)")
    }

    /// Runs with a client that trusts a certificate besides the system's.
    private func withClient(trusting root: String? = nil, _ body: (LiveTransport) async throws -> Void)
        async throws
    {
        let roots = root.map { [PEMSource.file($0)] } ?? []
        let client = try LiveTransport(.init(extraTrustedRoots: roots))
        do { try await body(client) } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
    }

    private func request(
        _ address: String?,
        _ path: String = "/",
        method: HTTPRequest.Method = .get
    ) throws -> HTTPRequest {
        let parts = try #require(address).components(separatedBy: "://")
        return HTTPRequest(method: method, scheme: parts[0], authority: parts[1], path: path)
    }

    @Test(arguments: [[], ["--tls"]])
    func `echo gives back bodies, messages and datagrams`(_ options: [String]) async throws {
        let started = try CommandLineRun.start(["serve", "echo", "--json"] + options, in: folder.path)
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode([String: String].self, from: Data(started.output().utf8))
        #expect(facts["service"] == "echo")
        let bytes = [UInt8].pattern(200_000)
        try await withClient(trusting: facts["caFile"]) { client in
            var put = try request(facts["http"], "/any/path?query", method: .put)
            put.headerFields[.contentType] = "image/png"
            let answer = try await client.send(put, body: .bytes(bytes), timeout: .seconds(30))
            #expect(answer.head.status == .ok)
            #expect(answer.head.headerFields[.contentType] == "image/png")
            #expect(try await answer.body.collect(upTo: 300_000) == bytes)

            let socket = try await client.connect(
                try request(facts["webSocket"]),
                limits: WebSocketLimits(),
                timeout: .seconds(30)
            )
            try await socket.send(text: "Grüße")
            try await socket.send(binary: bytes)
            #expect(try await socket.receive() == .text("Grüße"))
            #expect(try await socket.receive() == .binary(bytes))
            await socket.close(WebSocketClose(code: 4242, reason: "enough"))
            #expect(try await socket.receive() == .closed(WebSocketClose(code: 4242, reason: "enough")))

            let closing = try await client.connect(
                try request(facts["webSocket"], "/close/4001/as-asked"),
                limits: WebSocketLimits(),
                timeout: .seconds(30)
            )
            try await closing.send(text: "last")
            #expect(try await closing.receive() == .text("last"))
            #expect(try await closing.receive() == .closed(WebSocketClose(code: 4001, reason: "as-asked")))
            await #expect {
                try await client.connect(
                    try request(facts["webSocket"], "/status/418"),
                    limits: WebSocketLimits(),
                    timeout: .seconds(30)
                )
            } throws: { ($0 as? TransportError)?.status == 418 }

            let told = try #require(facts["datagram"])
            let peer = try #require(Endpoint(told))
            let datagrams = try await client.bind(.loopback())
            for size in [0, 1, 1200] {
                try await datagrams.send(Array(bytes.prefix(size)), to: peer)
                let back = try await datagrams.receive()
                #expect(back.bytes == Array(bytes.prefix(size)))
                #expect(back.source == peer)
            }
            await datagrams.close()
        }
        try await end(started)
    }

    @Test
    func `the certificate of a run is trusted by clients that have its file, which is removed at the end`()
        async throws
    {
        let (started, facts) = try await serve("gemini", "--tls")
        let file = try #require(facts["caFile"])
        let key = try #require(facts["apiKey"])
        let path = "/v1beta/models?key=\(key)"
        let address = try #require(facts["baseURL"])
        #expect(address.hasPrefix("https://127.0.0.1:"))
        try await withClient(trusting: file) { client in
            for name in ["127.0.0.1", "localhost"] {
                let named = address.replacing("127.0.0.1", with: name)
                let answer = try await client.send(
                    try request(named, path),
                    body: .empty,
                    timeout: .seconds(30)
                )
                #expect(answer.head.status == .ok)
                #expect(try await answer.body.collect(upTo: 1_000_000).isEmpty == false)
            }
        }
        try await withClient { stranger in
            await #expect {
                try await stranger.send(try request(address, path), body: .empty, timeout: .seconds(30))
            } throws: { ($0 as? TransportError)?.code == .certificateRejected }
        }
        try await end(started)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `a certificate file that the user names stays, and holds no key`() async throws {
        let (started, facts) = try await serve("supabase", "--tls", "--ca-file", "root.pem")
        #expect(facts["caFile"]?.hasSuffix("/root.pem") == true)
        let (url, key) = (facts["url"], try #require(facts["serviceKey"]))
        try await withClient(trusting: facts["caFile"]) { client in
            var list = try request(url, "/storage/v1/bucket")
            list.headerFields[.authorization] = "Bearer \(key)"
            let answer = try await client.send(list, body: .empty, timeout: .seconds(30))
            let text = String(decoding: try await answer.body.collect(upTo: 100_000), as: UTF8.self)
            #expect(answer.head.status == .ok)
            #expect(text.contains("\"\(try #require(facts["bucket"]))\""), "\(text)")
        }
        try await end(started)
        let text = try String(contentsOfFile: folder.path + "/root.pem", encoding: .utf8)
        #expect(text.hasPrefix("-----BEGIN CERTIFICATE-----"))
        #expect(!text.contains("PRIVATE KEY"))
    }

    @Test func `the model says what its script holds, turn by turn, and begins again after the last`()
        async throws
    {
        let script = "version: 1\nreplies:\n  - [One, \" two.\"]\n  - Three.\n"
        try Data(script.utf8).write(to: URL(filePath: folder.path + "/script.yaml"))
        let (started, facts) = try await serve("gemini", "--script", "script.yaml")
        let (key, model) = (try #require(facts["apiKey"]), try #require(facts["model"]))
        let service = "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
        let address = try #require(facts["baseURL"]).replacing("http", with: "ws")
        try await withClient { client in
            let socket = try await client.connect(
                try request(address, "/ws/\(service)?key=\(key)"),
                limits: WebSocketLimits(),
                timeout: .seconds(30)
            )
            try await socket.send(
                text:
                    #"{"setup": {"model": "models/\#(model)", "generationConfig": {"responseModalities": ["TEXT"]}}}"#
            )
            #expect(try await message(socket)["setupComplete"] != nil)
            for expected in [["One", " two."], ["Three."], ["One", " two."]] {
                let turn = #"{"role": "user", "parts": [{"text": "?"}]}"#
                try await socket.send(
                    text: #"{"clientContent": {"turns": [\#(turn)], "turnComplete": true}}"#
                )
                #expect(try await texts(socket) == expected)
            }
            let journal = try await client.send(
                try request(facts["baseURL"], "/__lenssim/journal?key=\(key)"),
                body: .empty,
                timeout: .seconds(30)
            )
            let bytes = try await journal.body.collect(upTo: 1_000_000)
            let json = try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
            let kinds = (json["messages"] as? [[String: Any]])?.map { $0["kind"] as? String }
            #expect(kinds == ["setup", "clientContent", "clientContent", "clientContent"])
            #expect((json["sessions"] as? [Any])?.count == 1)
            await socket.close(.normal)
        }
        try await end(started)
    }

    @Test func `what a Gemini elsewhere answers is recorded, and answered from the recording without it`()
        async throws
    {
        let script = """
            version: 1
            rules:
              - when: {text: weather}
                reply: [Rain, " and sun."]
            """
        try Data(script.utf8).write(to: URL(filePath: folder.path + "/script.yaml"))
        func ask(_ facts: [String: String], _ text: String) async throws -> (status: Int, text: String) {
            var answer = (0, "")
            try await withClient { client in
                var question = try request(
                    facts["baseURL"],
                    "/v1beta/models/gemini-2.5-flash:generateContent",
                    method: .post
                )
                question.headerFields[try #require(HTTPField.Name("x-goog-api-key"))] = facts["apiKey"]
                question.headerFields[.contentType] = "application/json"
                let body = #"{"contents":[{"role":"user","parts":[{"text":"\#(text)"}]}]}"#
                let (head, bytes) = try await client.send(question, body: .text(body), timeout: .seconds(30))
                answer = (
                    head.status.code, String(decoding: try await bytes.collect(upTo: 100_000), as: UTF8.self)
                )
            }
            return answer
        }
        let (service, serviceFacts) = try await serve("gemini", "--script", "script.yaml")
        let serviceKey = try #require(serviceFacts["apiKey"])
        let (recorder, facts) = try await serve(
            "gemini",
            "--record",
            "answers.yaml",
            "--from",
            try #require(serviceFacts["baseURL"]),
            "--key-from",
            "REAL_KEY",
            environment: ["REAL_KEY": serviceKey]
        )
        let asked = try await ask(facts, "The weather?")
        #expect(asked.status == 200 && asked.text.contains("Rain"), "\(asked.text)")
        #expect(try await ask(facts.merging(["apiKey": serviceKey]) { $1 }, "The weather?").status == 400)
        try await end(service)
        #expect(try await ask(facts, "The weather?").status == 502)
        try await end(recorder)
        let text = try String(contentsOfFile: folder.path + "/answers.yaml", encoding: .utf8)
        for key in [serviceKey, try #require(facts["apiKey"])] { #expect(!text.contains(key)) }

        let (replay, replayed) = try await serve("gemini", "--script", "answers.yaml")
        let again = try await ask(replayed, "And the weather? The weather?")
        #expect(again.status == 200 && again.text.contains("Rain and sun."), "\(again.text)")
        try await end(replay)
    }

    @Test(
        "a recording that cannot be made is refused with its reason",
        arguments: [
            (["--record", "a.yaml"], "--record needs --from"),
            (["--from", "google"], "--record needs --from"),
            (["--record", "a.yaml", "--from", "google", "--key-from", "NO_SUCH_KEY"], "NO_SUCH_KEY"),
            (["--record", "a.yaml", "--from", "ftp://a"], "ftp://a"),
            (["--record", "a.yaml", "--from", "http://127.0.0.1.example"], "in the clear"),
            (["--record", "/dev/null", "--from", "google"], "There is a file /dev/null already"),
        ]
    )
    func refusedRecording(_ arguments: [String], words: String) async throws {
        let run = try await CommandLineRun.run(["serve", "gemini"] + arguments, in: folder.path)
        #expect(run.status == 64)
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    private func message(_ socket: any WebSocket) async throws -> [String: Any] {
        let bytes: [UInt8]
        switch try await socket.receive() {
        case .text(let text): bytes = Array(text.utf8)
        case .binary(let binary): bytes = binary
        case .closed(let close): throw Ended(close: close)
        }
        return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private struct Ended: Error { var close: WebSocketClose }

    /// The texts of one turn.
    private func texts(_ socket: any WebSocket) async throws -> [String] {
        var texts: [String] = []
        while true {
            let content = try await message(socket)["serverContent"] as? [String: Any] ?? [:]
            let turn = content["modelTurn"] as? [String: Any]
            for part in turn?["parts"] as? [[String: Any]] ?? [] {
                texts.append(try #require(part["text"] as? String))
            }
            if content["turnComplete"] as? Bool == true { return texts }
        }
    }

    @Test(arguments: [
        (["echo", "--data", "folder"], 64, "--data is for serve supabase, serve s3"),
        (["gemini", "--user", "ada@example.com:difference"], 64, "--user is for serve supabase."),
        (["supabase", "--user", "nobody"], 64, "is invalid for '--user <email:password>'"),
        (["supabase", "--script", "a.yaml"], 64, "--script is for serve gemini."),
        (["s3", "--data", "wrong.yaml"], 74, "wrong.yaml"),
        (["s3", "--seed", "1"], 64, "--seed is for --faults."),
        (["s3", "--faults", "s3.slowdown=1"], 65, "there are http.slow, http.429"),
        (["s3", "--faults", "s3.slowDown=1:wait=2"], 65, "s3.slowDown takes no “wait”; it takes retryAfter"),
        (["s3", "--faults", "http.slow=0.5:seconds=9999"], 65, "seconds must be from 0.0 to 3600.0"),
        (["supabase", "--faults", "http.503=2"], 65, "“http.503=2” is no fault: write POINT=PROBABILITY"),
        (["supabase", "--faults", "http.503=1,http.503=0"], 65, "http.503 is there twice"),
        (["supabase", "--faults", "http.429=1:retryAfter"], 65, "“retryAfter” is no number of http.429"),
        (["echo", "--ca-file", "a.pem"], 64, "--ca-file is for --tls."),
        (["supabase", "--refuse-region"], 64, "are for serve gemini, without --record."),
        (["gemini", "--concurrent-sessions", "0"], 64, "--concurrent-sessions must be 1 or more."),
        (
            ["echo", "--tls", "--certificate", "a", "--private-key", "b"], 64,
            "--tls makes a certificate of its own"
        ),
        (["echo", "--tls", "--ca-file", "no/such/folder/a.pem"], 74, "Make its folder first."),
        (["gemini", "--script", "missing.yaml"], 66, "there is no file missing.yaml"),
        (
            ["gemini", "--script", "wrong.yaml"], 65,
            "line 2: unknown key “reply”; known are version, delay, replies, rules"
        ),
    ])
    func `what does not fit is refused with its reason`(
        _ arguments: [String],
        _ status: Int32,
        _ words: String
    ) async throws {
        try Data("version: 1\nreply: [A]\n".utf8).write(to: URL(filePath: folder.path + "/wrong.yaml"))
        let run = try await CommandLineRun.run(["serve"] + arguments, in: folder.path)
        #expect(run.status == status, "\(run.output)\(run.errors)")
        #expect(run.errors.contains(words), "\(run.errors)")
    }

    @Test func `keys are drawn for each run, and constants are refused where others can reach them`()
        async throws
    {
        var seen: Set<String> = []
        for _ in 0..<2 {
            let (gemini, facts) = try await serve("gemini")
            seen.insert(try #require(facts["apiKey"]))
            try await end(gemini)
            let (supabase, others) = try await serve("supabase")
            seen.formUnion([try #require(others["anonKey"]), try #require(others["serviceKey"])])
            try await end(supabase)
        }
        #expect(seen.count == 6)
        let refused = try await CommandLineRun.run(
            ["serve", "gemini", "--constant-keys", "--allow-remote"],
            in: folder.path
        )
        #expect(refused.status == 64)
    }

    /// Opens a Live session, and returns it with the answer to its setup; `nil` when it was closed.
    private func live(
        _ client: LiveTransport,
        _ facts: [String: String]
    ) async throws -> (socket: any WebSocket, answer: [String: Any]?, close: WebSocketClose?) {
        let (key, model) = (try #require(facts["apiKey"]), try #require(facts["model"]))
        let service = "google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
        let socket = try await client.connect(
            try request(
                try #require(facts["baseURL"]).replacing("http", with: "ws"),
                "/ws/\(service)?key=\(key)"
            ),
            limits: WebSocketLimits(),
            timeout: .seconds(30)
        )
        try await socket.send(
            text:
                #"{"setup": {"model": "models/\#(model)", "sessionResumption": {}, "generationConfig": {"responseModalities": ["TEXT"]}}}"#
        )
        do { return (socket, try await message(socket), nil) } catch let ended as Ended {
            return (socket, nil, ended.close)
        }
    }

    @Test func `rules for Live sessions are switched on by options`() async throws {
        let (limited, facts) = try await serve("gemini", "--concurrent-sessions", "1", "--tell-not-resumable")
        try await withClient { client in
            let first = try await live(client, facts)
            #expect(first.answer?["setupComplete"] != nil)
            let second = try await live(client, facts)
            #expect(second.close?.code == 1011 && second.close?.reason.contains("concurrent") == true)
            try await first.socket.send(text: #"{"realtimeInput": {"text": "Hi"}}"#)
            let update = try await message(first.socket)["sessionResumptionUpdate"] as? [String: Any]
            #expect(update?.isEmpty == true, "not resumable")
            await first.socket.close(.normal)
        }
        try await end(limited)
        let (refusing, others) = try await serve("gemini", "--refuse-region")
        try await withClient { client in
            let close = try await live(client, others).close
            #expect(close?.code == 1007 && close?.reason.contains("location") == true)
        }
        try await end(refusing)
    }

    @Test(arguments: ["supabase", "s3"])
    func `faults that are typed happen at a served service, and the same for the same seed`(_ name: String)
        async throws
    {
        let faults = "http.429=0.4:retryAfter=7,http.503=0.2"
        var seen: [[Int]] = []
        for seed in ["5", "5", "6"] {
            let (started, facts) = try await serve(name, "--faults", faults, "--seed", seed)
            #expect(facts["faults"] == faults && facts["seed"] == seed)
            try await withClient { client in
                var statuses: [Int] = []
                for _ in 0..<40 {
                    let list = try request(facts["url"] ?? facts["endpoint"], "/")
                    let answer = try await client.send(list, body: .empty, timeout: .seconds(30))
                    _ = try await answer.body.collect(upTo: 100_000)
                    statuses.append(answer.head.status.code)
                    if statuses.last == 429 { #expect(answer.head.headerFields[.retryAfter] == "7") }
                }
                seen.append(statuses)
            }
            try await end(started)
        }
        #expect(seen[0] == seen[1] && seen[0] != seen[2])
        #expect(Set(seen[0]).isSuperset(of: [429, 503]) && Set(seen[0]).count == 3)
        // A seed that nobody gave is drawn, and printed.
        let (started, facts) = try await serve(name, "--faults", faults)
        #expect(facts["seed"].flatMap { UInt64($0) } != nil)
        try await end(started)
    }

    @Test func `an S3 that is started again with its folder has the objects of before`() async throws {
        let data = "\(folder.path)/objects"
        let picture = [UInt8].pattern(3_000_000)
        for isFirst in [true, false] {
            let (started, facts) = try await serve("s3", "--data", data, "--constant-keys")
            let credentials = AWSCredentials(
                accessKey: facts["accessKey"] ?? "",
                secretKey: Secret(facts["secretKey"] ?? "")
            )
            try await withClient { client in
                var object = try request(facts["endpoint"], "/\(facts["bucket"] ?? "")/photos/a")
                object.method = isFirst ? .put : .get
                let body = isFirst ? picture : []
                RequestSigner(credentials, region: facts["region"] ?? "").sign(
                    &object,
                    payload: .of(body),
                    at: SigningTime(seconds: Int64(Date().timeIntervalSince1970))
                )
                let answer = try await client.send(object, body: .bytes(body), timeout: .seconds(60))
                let bytes = try await answer.body.collect(upTo: 4_000_000)
                #expect(answer.head.status == 200 && bytes == (isFirst ? [] : picture))
            }
            try await end(started)
        }
    }

    @Test func `faults of a file happen at a served service`() async throws {
        let plan = "\(folder.path)/faults.yaml"
        let text = """
            version: 1
            peers:
              - { point: http.429, with: { retryAfter: 7 }, skip: 1, atMost: 1 }
            """
        try text.write(toFile: plan, atomically: true, encoding: .utf8)
        let (started, facts) = try await serve("supabase", "--faults", plan)
        try await withClient { client in
            var statuses: [Int] = []
            for _ in 0..<3 {
                var list = try request(facts["url"], "/storage/v1/bucket")
                list.headerFields[.authorization] = "Bearer \(facts["serviceKey"] ?? "")"
                let answer = try await client.send(list, body: .empty, timeout: .seconds(30))
                _ = try await answer.body.collect(upTo: 100_000)
                statuses.append(answer.head.status.code)
                if answer.head.status.code == 429 {
                    #expect(answer.head.headerFields[.retryAfter] == "7")
                }
            }
            #expect(statuses == [200, 429, 200])
        }
        try await end(started)
        for (text, words) in [
            ("version: 1\npeers: [{point: http.42}]", "http.429"),
            ("version: 1\npeers: [{point: http.429, with: {after: 1}}]", "retryAfter"),
            ("version: 1\nnameFailure: 0.1", "outside a simulation"),
        ] {
            try text.write(toFile: plan, atomically: true, encoding: .utf8)
            let run = try await CommandLineRun.run(["serve", "supabase", "--faults", plan], in: folder.path)
            #expect(run.status == 65 && run.errors.contains(words), "\(run.status) \(run.errors)")
        }
    }
}
