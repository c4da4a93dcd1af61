import Foundation
import GRDB
import HTTPTypes
import LensScenarios
import Services
import SessionRecording
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

/// Tells everything that it was told: in fields, in bodies cut anywhere, in messages, and in its goodbye.
private struct TellTale: Server {
    var chunk: Int

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        let said = request.headerFields[.authorization] ?? ""
        var fields = HTTPFields()
        if let name = HTTPField.Name("x-echo") { fields[name] = String(said.dropFirst(7)) }
        let sent = (try? await body.collect(upTo: 1 << 20)) ?? []
        let rest = ArraySlice(Array("bad token \(said), \(request.path ?? ""), ".utf8) + sent)
        let chunks = stride(from: 0, to: rest.count, by: chunk).map {
            Array(rest.dropFirst($0).prefix(chunk))
        }
        let taken = Box(0)
        let stream = ByteStream { () async throws(TransportError) -> [UInt8]? in
            try? await Task.sleep(for: .milliseconds(3))
            let number = taken.add(1) - 1
            return number < chunks.count ? chunks[number] : nil
        }
        return (HTTPResponse(status: .unauthorized, headerFields: fields), .stream(stream, length: nil))
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .accept(WebSocketLimits()) { socket in
            guard case .text(let text)? = try? await socket.receive() else { return }
            try? await socket.send(text: "no: \(text)")
            try? await socket.send(binary: Array("no: \(text)".utf8))
            await socket.close(WebSocketClose(code: 4001, reason: "\(text)"))
        }
    }
}

@Suite("Secrets and session files")
struct SecretTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
    private static let secret = "s3cr3t/key+0123456789 \"x\""

    /// A program that talks of its key in all ways.
    ///
    /// With Base64 too if `inBase64`: that of another key differs also beside the key.
    @Sendable private static func talk(_ transport: any Transport, _ secret: String, inBase64: Bool)
        async throws -> [String]
    {
        var heard: [String] = []
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(secret)"
        let request = HTTPRequest(
            method: .post,
            scheme: "http",
            authority: "name:pass-word@peer",
            path: "/\(secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")",
            headerFields: fields
        )
        let json = String(decoding: try JSONEncoder().encode(["key": secret]), as: UTF8.self)
        let basic =
            inBase64
            ? (0..<3).map { Data("\("ab".prefix($0))\(secret):".utf8).base64EncodedString() } : []
        let (head, body) = try await transport.send(
            request,
            body: .text("\(json) \(basic)"),
            timeout: .seconds(5)
        )
        heard.append("\(head.status.code) \(head.headerFields.map(\.value))")
        if case .stream(let chunks, _) = body {
            for try await chunk in chunks { heard.append(String(decoding: chunk, as: UTF8.self)) }
        }
        let upgrade = HTTPRequest(method: .get, scheme: "ws", authority: "peer", path: "/")
        let socket = try await transport.connect(upgrade, limits: WebSocketLimits(), timeout: .seconds(5))
        try await socket.send(text: secret)
        for _ in 0..<3 { heard.append("\(try await socket.receive())") }
        return heard
    }

    private func record(chunk: Int, inBase64: Bool) throws -> String {
        let path = folder.path + "/chunks-of-\(chunk)"
        var manifest = SessionManifest.sample
        manifest.parameters["address"] = "http://peer/\(Self.secret)"
        let writer = try SessionWriter(path: path, manifest: manifest, secrets: [Secret(Self.secret)])
        writer.add(file: "log.txt", bytes: Array("said \(Self.secret)!".utf8))
        writer.add(TraceEvent(step: 0, nanoseconds: 0, node: "a", kind: "state", detail: Self.secret))
        try Simulation(seed: 1).run {
            let transport = RecordingTransport(
                try await SimulatedNetwork.client(of: TellTale(chunk: chunk)),
                writer: writer,
                clock: SessionClock()
            )
            _ = try await Self.talk(transport, Self.secret, inBase64: inBase64)
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: "no \(Self.secret)"))
        return path
    }

    /// No six bytes that only the key has, in whatever form.
    private static let traces: [String] = {
        let base64 = (0..<3).map { Data("\("ab".prefix($0))\(secret)".utf8).base64EncodedString() }
        return ["s3cr3t", "t/key+", "t\\/key", "0123456", "ey%2B01", "ey%2b01", "pass-word"]
            + base64.map { String($0.dropFirst(6).prefix(8)) }
    }()

    @Test(
        "LENS-253 what a peer sends back holds no secret, wherever it stands and however it is cut",
        arguments: 1...70
    )
    func echoed(chunk: Int) throws {
        let path = try record(chunk: chunk, inBase64: true)
        let bytes = try Data(contentsOf: URL(filePath: path))
        for trace in Self.traces { #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace)") }
        let session = try SessionReader(path: path)
        #expect(session.outcome?.failure == "no <redacted>")
        #expect(try session.files()["log.txt"]?.count == "said \(Self.secret)!".utf8.count)
        let said = try session.messages(of: 0).filter { $0.direction == .in && $0.kind == .body }
        let text = String(decoding: said.flatMap(\.bytes), as: UTF8.self)
        #expect(text.hasPrefix("bad token Bearer <redacted>, /<redacted>, {\"key\":\"<redacted>\"} "))
    }

    @Test("without its secrets a session replays the same", arguments: [1, 7, 1000])
    func replayed(chunk: Int) throws {
        let session = try SessionReader(path: try record(chunk: chunk, inBase64: false))
        let comparison = Comparison()
        let word = "<redacted>"
        let heard = try Simulation(seed: 2).run {
            let transport = try ReplayTransport(
                session,
                clock: SessionClock(),
                comparison: comparison,
                secrets: [Secret(word)]
            )
            let heard = try await Self.talk(transport, word, inBase64: false)
            transport.finish()
            return heard
        }
        #expect(heard[0].hasPrefix("401 [\"<redacted>\", "))
        #expect(comparison.firstDifference == nil)
        #expect(comparison.compared >= 4)
    }

    @Test func `a short value and what merely looks like a secret stay as they are`() throws {
        let path = folder.path + "/short"
        let writer = try SessionWriter(
            path: path,
            manifest: .sample,
            secrets: [Secret("a"), Secret("long-enough")]
        )
        writer.add(file: "a", bytes: Array("a banana long-enoug long-enough".utf8))
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let kept = try SessionReader(path: path).files()["a"] ?? []
        #expect(String(decoding: kept, as: UTF8.self) == "a banana long-enoug ***********")
    }

    @Test(arguments: [
        ("http://user:pass@host:80/a", "http://host:80/a"), ("http://u:p/w?d#@host", "http://host"),
        ("https://host/a?key=1", "https://host/a"), ("user@host", "host"),
        ("http://[::1]:5", "http://[::1]:5"),
    ])
    func `an address is shown without what may be secret in it`(address: String, plain: String) {
        #expect(LensAddresses.plain(address) == plain)
    }

    @Test func `what is too short for a secret is masked in no form`() {
        let text = "abcde YWJjZGU= %61%62"
        #expect(SecretMask([Secret("abcde")]).masked(text) == text)
        #expect(SecretMask([Secret("abcdef")]).masked("abcdef YWJjZGVm") == "<redacted> <redacted>")
    }

    @Test func `what was held back since a secret might have begun is written at the end`() throws {
        struct Breaking: Server {
            func respond(to request: HTTPRequest, body: HTTPBody) async -> (
                head: HTTPResponse, body: HTTPBody
            ) {
                let given = Box(0)
                let stream = ByteStream { () async throws(TransportError) -> [UInt8]? in
                    if given.add(1) == 1 { return Array("it ends with s3cr3t/k".utf8) }
                    try? await Task.sleep(for: .seconds(3600))
                    return nil
                }
                return (HTTPResponse(status: .ok), .stream(stream, length: nil))
            }
        }
        let path = folder.path + "/held-back"
        let writer = try SessionWriter(path: path, manifest: .sample, secrets: [Secret(Self.secret)])
        try Simulation(seed: 1).run {
            let transport = RecordingTransport(
                try await SimulatedNetwork.client(of: Breaking()),
                writer: writer,
                clock: SessionClock()
            )
            let request = HTTPRequest(method: .get, scheme: "http", authority: "peer", path: "/")
            let answer = try await transport.send(request, body: .empty, timeout: .seconds(5))
            guard case .stream(let chunks, _) = answer.body else { return }
            var iterator = chunks.makeAsyncIterator()
            _ = try await iterator.next()
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.range(of: Data("it ends with s3cr3t/k".utf8)) != nil)
    }
}
