import Foundation
import HTTPTypes
import LiveTransport
import TestSupport
import Testing
import Transport

/// The home hub as `lenssim serve argus` has it.
@Suite("Serving the home hub", .timeLimit(.minutes(10)))
struct ServedArgusTests {
    @Test(
        "the one line of JSON has what a phone pairs with and what the admin needs",
        arguments: ["seed", "hub"]
    )
    func pairing(_ dialect: String) async throws {
        let folder = try TemporaryFolder()
        let started = try CommandLineRun.start(
            [
                "serve", "argus", "--json", "--dialect", dialect, "--event-interval", "0.1",
                "--access-lifetime", "60",
            ],
            in: folder.path
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode([String: String].self, from: Data(started.output().utf8))
        #expect(facts["dialect"] == dialect)
        let client = try LiveTransport()
        let authority = try #require(facts["url"]).replacing("http://", with: "")
        func call(_ path: String, _ body: [String: String]?, token: String? = nil) async throws -> (
            status: Int, body: Data
        ) {
            var request = HTTPRequest(
                method: body == nil ? .get : .post,
                scheme: "http",
                authority: authority,
                path: "/api/v1/\(path)"
            )
            if let token { request.headerFields[.authorization] = "Bearer \(token)" }
            let json = try body.map { try JSONEncoder().encode($0) }
            let answer = try await client.send(
                request,
                body: json.map { .bytes([UInt8]($0)) } ?? .empty,
                timeout: .seconds(30)
            )
            return (answer.head.status.code, Data(try await answer.body.collect(upTo: 1 << 20)))
        }
        #expect(facts["hubID"]?.hasPrefix("hub-") == true && facts["relay"] == nil)
        // In the other dialect a phone asks for codes.
        #expect((facts["pairingCode"] != nil) == (dialect == "seed"))
        let code = facts["pairingCode"] ?? "123456"
        let device = UUID().uuidString
        let verified = try await call(
            "mobile/auth/verify",
            ["code": code, "device_id": device, "device_name": "phone"]
        )
        let admin = try #require(facts["adminToken"])
        if dialect == "seed" {
            struct Tokens: Decodable {
                var access_token: String
                var expires_in: Int
            }
            let tokens = try JSONDecoder().decode(Tokens.self, from: verified.body)
            #expect(tokens.expires_in == 60)
            #expect(try await call("mobile/cameras", nil, token: tokens.access_token).status == 200)
            #expect(try await call("mobile/events", nil, token: admin).status == 200)
        } else {
            #expect(verified.status == 401)
            #expect(try await call("events", nil, token: admin).status == 200)
        }
        await client.shutdown()
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }

    @Test("a relay is a second address of the same hub, which takes its time")
    func relay() async throws {
        let folder = try TemporaryFolder()
        let started = try CommandLineRun.start(
            ["serve", "argus", "--json", "--relay-port", "0", "--relay-latency", "300", "--events", "30"],
            in: folder.path
        )
        try await started.waits(for: "}\n")
        let facts = try JSONDecoder().decode([String: String].self, from: Data(started.output().utf8))
        let (url, relay) = (try #require(facts["url"]), try #require(facts["relay"]))
        #expect(url != relay && relay.hasPrefix("http://127.0.0.1:"))
        let client = try LiveTransport()
        let admin = try #require(facts["adminToken"])
        struct Page: Decodable {
            struct Event: Decodable { var id: String }
            var events: [Event]
            var total: Int
        }
        func page(_ address: String) async throws -> (ids: [String], total: Int, time: Duration) {
            var request = HTTPRequest(
                method: .get,
                scheme: "http",
                authority: address.replacing("http://", with: ""),
                path: "/api/v1/mobile/events?page=1&page_size=20"
            )
            request.headerFields[.authorization] = "Bearer \(admin)"
            let start = ContinuousClock.now
            let answer = try await client.send(request, body: .empty, timeout: .seconds(30))
            let body = Data(try await answer.body.collect(upTo: 1 << 20))
            let page = try JSONDecoder().decode(Page.self, from: body)
            return (page.events.map(\.id), page.total, ContinuousClock.now - start)
        }
        let (near, far) = (try await page(url), try await page(relay))
        #expect(near.ids == (11...30).reversed().map { "evt_\($0)" } && near.total == 30)
        #expect(far.ids == near.ids && far.time >= .milliseconds(300))
        await client.shutdown()
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }

    @Test(
        "a hub that is announced is found under the name that it prints, with what it says of itself, and lost at its end"
    )
    func announced() async throws {
        let folder = try TemporaryFolder()
        let hub = try CommandLineRun.start(
            ["serve", "argus", "--json", "--announce", "--interface", "lo"],
            in: folder.path
        )
        try await hub.waits(for: "}\n")
        let facts = try JSONDecoder().decode([String: String].self, from: Data(hub.output().utf8))
        let (name, id) = (try #require(facts["serviceName"]), try #require(facts["hubID"]))
        let port = try #require(facts["url"]?.split(separator: ":").last.flatMap { Int($0) })
        let browse = try CommandLineRun.start(
            ["browse", "_argusai._tcp", "--json", "--seconds", "120", "--interface", "lo"],
            in: folder.path
        )
        // Others of this machine may be announced, too.
        try await browse.waits(for: "\"id\":\"\(id)\"")
        let lines = browse.output().split(separator: "\n")
        let line = try #require(lines.first { $0.contains(id) })
        let said = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(said["name"] as? String == name && name.hasPrefix("Argus Hub"))
        #expect(
            said["attributes"] as? [String: String] == [
                "id": id, "ssl": "false", "txtvers": "1", "version": "1.0.0", "api_port": "\(port)",
            ]
        )
        let ways = try #require(said["ways"] as? [[String: Any]])
        #expect(ways.contains { $0["address"] as? String == "127.0.0.1" && $0["port"] as? Int == port })
        hub.process.terminate()
        #expect(try await hub.finish().status == 0)
        try await browse.waits(for: #""change":"gone""#)
        browse.process.interrupt()
        _ = try await browse.finish()
    }

    @Test(arguments: [
        (["serve", "argus", "--dialect", "cgi"], "--dialect must be seed or hub for serve argus"),
        (
            ["serve", "camera", "--dialect", "seed"],
            "--dialect must be cgi or json or binary for serve camera"
        ),
        (["serve", "flow", "--dialect", "seed"], "--dialect is for serve camera and serve argus"),
        (["serve", "argus", "--relay-latency", "5"], "--relay-latency is for --relay-port"),
        (["serve", "argus", "--interface", "lo"], "--interface is for --announce"),
        (["serve", "argus", "--announce"], "add --allow-remote and --host 0.0.0.0, or --interface lo"),
        (["serve", "s3", "--announce"], "are for serve argus"),
        (["serve", "flow", "--events", "1"], "are for serve argus"),
    ])
    func `what cannot be served is refused`(_ arguments: [String], _ words: String) async throws {
        let folder = try TemporaryFolder()
        let run = try await CommandLineRun.run(arguments, in: folder.path)
        #expect(run.status == 64)
        #expect(run.errors.replacing("\n", with: " ").contains(words), "\(run.errors)")
    }
}
