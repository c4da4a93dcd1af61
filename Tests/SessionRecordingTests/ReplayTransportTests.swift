import Foundation
import GRDB
import HTTPTypes
import SessionRecording
import SimulatedTransport
import Simulation
import Synchronization
import TestSupport
import Testing
import Transport

/// Answers with what it got, and says so on WebSockets.
private struct EchoServer: Server {
    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        try? await Task.sleep(for: .milliseconds(30))
        let bytes = (try? await body.collect(upTo: 1 << 20)) ?? []
        return (HTTPResponse(status: .created), .bytes(Array("got ".utf8) + bytes))
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .accept(WebSocketLimits()) { socket in
            while case .text(let text)? = try? await socket.receive() {
                try? await Task.sleep(for: .milliseconds(20))
                try? await socket.send(text: "echo \(text)")
            }
        }
    }
}

/// Answers every request with the same fields.
private struct FieldServer: Server {
    let fields: HTTPFields

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        (HTTPResponse(status: .ok, headerFields: fields), .empty)
    }
}

/// Answers each request with its number.
private final class CountingServer: Server {
    private let count = Mutex(0)

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let number = count.withLock { count in
            count += 1
            return count
        }
        return (HTTPResponse(status: .ok), .text("\(number)"))
    }
}

@Suite("Recording and replaying a transport")
struct ReplayTransportTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
    private static let secret = "s3cr3t-key-0123456789"

    /// What a program does with a transport: the last words are what it heard.
    @Sendable private static func talk(
        _ transport: any Transport,
        words: [String],
        extra: Bool = false,
        saysGoodbye: Bool = true
    ) async throws -> [String] {
        var heard: [String] = []
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(secret)"
        if let name = HTTPField.Name("x-goog-api-key") { fields[name] = secret }
        if let name = HTTPField.Name("apikey") { fields[name] = secret }
        let request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "peer",
            path: "/a?key=\(secret)&b=1",
            headerFields: fields
        )
        let (head, body) = try await transport.send(request, body: .text(words[0]), timeout: .seconds(5))
        heard.append(
            "\(head.status.code) \(String(decoding: try await body.collect(upTo: 1000), as: UTF8.self))"
        )
        let upgrade = HTTPRequest(method: .get, scheme: "ws", authority: "peer", path: "/ws?key=\(secret)")
        let socket = try await transport.connect(upgrade, limits: WebSocketLimits(), timeout: .seconds(5))
        for word in words {
            try await socket.send(text: word)
            guard case .text(let answer) = try await socket.receive() else { continue }
            heard.append("\(answer) after \(Simulation.current?.now ?? .zero)")
        }
        if saysGoodbye { await socket.close(.normal) }
        if extra { _ = try? await transport.send(request, body: .empty, timeout: .seconds(1)) }
        return heard
    }

    private func record(_ words: [String]) throws -> (path: String, heard: [String], time: Duration) {
        let path = folder.path + "/talk"
        let manifest = SessionManifest(
            scenario: "talk",
            fidelity: .simulated,
            seed: 1,
            parameters: [:],
            startOfTime: 0,
            recordedBy: "test"
        )
        let writer = try SessionWriter(path: path, manifest: manifest)
        let (heard, report) = try Simulation(seed: 1).runReporting {
            let client = try await SimulatedNetwork.client(of: EchoServer())
            return try await Self.talk(
                RecordingTransport(client, writer: writer, clock: SessionClock()),
                words: words
            )
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        return (path, heard, report.time)
    }

    private func replay(
        _ path: String,
        _ words: [String],
        extra: Bool = false,
        saysGoodbye: Bool = true
    ) throws -> (heard: [String], comparison: Comparison, time: Duration) {
        let session = try SessionReader(path: path)
        let comparison = Comparison()
        let (heard, report) = try Simulation(seed: 2).runReporting {
            let transport = try ReplayTransport(session, clock: SessionClock(), comparison: comparison)
            let heard = try await Self.talk(
                transport,
                words: words,
                extra: extra,
                saysGoodbye: saysGoodbye
            )
            transport.finish()
            return heard
        }
        return (heard, comparison, report.time)
    }

    @Test("what came in comes in again, at its time, and what goes out is the same")
    func same() throws {
        let (path, heard, time) = try record(["one", "two", "three"])
        #expect(
            heard == [
                "201 got one", "echo one after 0.05 seconds", "echo two after 0.07 seconds",
                "echo three after 0.09 seconds",
            ]
        )
        let again = try replay(path, ["one", "two", "three"])
        #expect(again.heard == heard)
        #expect(again.comparison.firstDifference == nil)
        #expect(again.comparison.compared >= 7)
        #expect(again.time == time)
    }

    @Test("the first changed message is named")
    func changed() throws {
        let path = try record(["one", "two", "three"]).path
        let difference = try replay(path, ["one", "2", "3"]).comparison.firstDifference
        #expect(difference?.place.contains("connection 1 (websocket), message 2 out") == true)
        #expect(difference?.recorded.contains("two") == true)
        #expect(difference?.replayed.contains("2") == true)
    }

    @Test func `a message that was sent before another came, and is sent after it now, is named`() throws {
        let path = try record(["one", "two", "three"]).path
        let queue = try DatabaseQueue(path: path)
        try queue.write {
            try $0.execute(
                sql: """
                    UPDATE message SET id = -id; UPDATE message SET id = -id * 10;
                    UPDATE message SET nanoseconds = nanoseconds - 10000000,
                        id = (SELECT id - 5 FROM message WHERE CAST(bytes AS TEXT) = 'echo two')
                        WHERE CAST(bytes AS TEXT) = 'three';
                    """
            )
        }
        try queue.close()
        let difference = try replay(path, ["one", "two", "three"]).comparison.firstDifference
        #expect(difference?.place == "connection 1 (websocket), message 3 out")
        #expect(difference?.recorded == "sent before a message came (text, 8 bytes) at 0.07 s")
        #expect(difference?.replayed == "sent after it")
    }

    @Test func `a changed request body is named`() throws {
        let path = try record(["one"]).path
        let difference = try replay(path, ["0ne"]).comparison.firstDifference
        #expect(difference?.place.contains("body out") == true)
    }

    @Test func `a missing message and an extra connection are named`() throws {
        let path = try record(["one", "two"]).path
        let missing = try replay(path, ["one"]).comparison.firstDifference
        #expect(missing?.recorded.contains("two") == true)
        let extra = try replay(path, ["one", "two"], extra: true).comparison.firstDifference
        #expect(extra?.recorded == "no further one")
    }

    @Test func `a program that stops sending is named, also when only the last message is missing`() throws {
        let path = try record(["one", "two"]).path
        let last = try replay(path, ["one", "two"], saysGoodbye: false).comparison.firstDifference
        #expect(last?.place == "connection 1 (websocket), message 3 out")
        #expect(last?.recorded.hasPrefix("close") == true)
        #expect(last?.replayed == "nothing more")
        let earlier = try replay(path, ["one"], saysGoodbye: false).comparison.firstDifference
        #expect(earlier?.place == "connection 1 (websocket), message 2 out")
        #expect(earlier?.recorded.contains("two") == true)
        #expect(earlier?.replayed == "nothing more")
    }

    /// Requests that are asked one after the other, each with what came of it.
    private func asking(
        _ requests: [(path: String, body: String)],
        over transport: some Transport
    ) async -> [String] {
        var answers: [String] = []
        for (path, body) in requests {
            let request = HTTPRequest(method: .post, scheme: "http", authority: "peer", path: path)
            do {
                let answer = try await transport.send(request, body: .text(body), timeout: .seconds(5))
                answers.append(String(decoding: try await answer.body.collect(upTo: 100), as: UTF8.self))
            } catch { answers.append("\(error)") }
        }
        return answers
    }

    /// Records requests to a server that counts, and asks others of the recording.
    private func counted(
        _ recorded: [(path: String, body: String)],
        thenAsking replayed: [(path: String, body: String)]
    ) throws -> (answers: [String], comparison: Comparison) {
        let path = folder.file("counted")
        let writer = try SessionWriter(path: path, manifest: .sample)
        try Simulation(seed: 1).run {
            let client = try await SimulatedNetwork.client(of: CountingServer())
            _ = await asking(
                recorded,
                over: RecordingTransport(client, writer: writer, clock: SessionClock())
            )
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let (session, comparison) = (try SessionReader(path: path), Comparison())
        let answers = try Simulation(seed: 2).run {
            let transport = try ReplayTransport(session, clock: SessionClock(), comparison: comparison)
            let answers = await asking(replayed, over: transport)
            transport.finish()
            return answers
        }
        return (answers, comparison)
    }

    @Test func `requests that change their order get their own answers, and equal ones theirs in order`()
        throws
    {
        let recorded = [("/a", ""), ("/b", ""), ("/a", "x"), ("/a", "y"), ("/a", "x"), ("/c?d=1", "")]
        let (answers, comparison) = try counted(
            recorded,
            thenAsking: [("/c?d=1", ""), ("/a", "y"), ("/a", "x"), ("/b", ""), ("/a", ""), ("/a", "x")]
        )
        #expect(answers == ["6", "4", "3", "2", "1", "5"])
        #expect(comparison.firstDifference == nil, "\(String(describing: comparison.firstDifference))")
    }

    @Test func `a request that was never recorded is refused by its name, and the others get their answers`()
        throws
    {
        let (answers, comparison) = try counted(
            [("/a", ""), ("/b", "")],
            thenAsking: [("/new", ""), ("/b", ""), ("/a", ""), ("/a", "")]
        )
        #expect(answers[0].contains("POST http://peer/new is not in the recording"), "\(answers)")
        #expect(answers[1...2] == ["2", "1"])
        #expect(answers[3].contains("POST http://peer/a was asked no more often"), "\(answers)")
        let difference = comparison.firstDifference
        #expect(difference?.recorded == "none of POST http://peer/new, but POST http://peer/a")
    }

    @Test(
        "a credential in any field that carries one is not in the file",
        arguments: [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "apikey", "x-goog-api-key",
            "X-Signature",
        ]
    )
    func redactedField(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        let asked = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "peer",
            path: "/",
            headerFields: [name: "asked-with-it", .accept: "plain-value"]
        )
        let text = try recordedText(
            of: asked,
            answering: [name: "answered-with-it", .accept: "plain-answer"]
        )
        #expect(!text.contains("asked-with-it") && !text.contains("answered-with-it"))
        #expect(text.contains("plain-value") && text.contains("plain-answer"))
        #expect(text.components(separatedBy: "\(name.canonicalName): <redacted>").count == 3)
    }

    @Test(
        "a credential in any query item that carries one is not in the file",
        arguments: ["key", "token", "access_token", "apikey", "X-Amz-Signature"]
    )
    func redactedItem(name: String) throws {
        let asked = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "name:pass-word@peer",
            path: "/a?first=plain-value&\(name)=asked-with-it&\(name)"
        )
        let text = try recordedText(of: asked, answering: [:])
        #expect(!text.contains("asked-with-it") && !text.contains("pass-word"))
        #expect(text.contains("http://peer/a?first=plain-value&\(name)=<redacted>&\(name)=<redacted>"))
    }

    /// What a recording writes of one request and its answer.
    private func recordedText(of request: HTTPRequest, answering fields: HTTPFields) throws -> String {
        let path = folder.path + "/one-request"
        let writer = try SessionWriter(path: path, manifest: .sample)
        try Simulation(seed: 1).run {
            let server = FieldServer(fields: fields)
            let client = try await SimulatedNetwork.client(of: server)
            let recording = RecordingTransport(client, writer: writer, clock: SessionClock())
            let answer = try await recording.send(request, body: .empty, timeout: .seconds(5))
            // What the program itself gets is not masked.
            var received = answer.head.headerFields
            (received[.contentLength], received[.date]) = (nil, nil)
            #expect(received == fields)
            _ = try await answer.body.collect(upTo: 10)
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    @Test("LENS-253 no secret is in the file")
    func redacted() throws {
        let bytes = try Data(contentsOf: URL(filePath: try record(["one"]).path))
        #expect(bytes.range(of: Data(Self.secret.utf8)) == nil)
        #expect(bytes.range(of: Data(Data(Self.secret.utf8).base64EncodedString().prefix(20).utf8)) == nil)
        #expect(bytes.range(of: Data("<redacted>".utf8)) != nil)
    }
}
