import Foundation
import HTTPTypes
import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

@testable import SessionRecording

/// A service that issues credentials, in bodies cut anywhere, and is asked with them again.
private struct Issuer: Server {
    static let access = "access-4f3a9c7e21b8"
    static let refresh = "refresh/71c9+e0d2ab55"
    static let handle = "handle-d07c55ae9b13"
    static let signature = "eyJhbGciOi.signed-url-9e21"

    var chunk: Int

    private static let session = """
        {"access_token" : "\(access)","expires_in":3600,"Refresh_Token":"refresh\\/71c9+e0d2ab55","token":"",
        "tokens":"many","name":"token","list":["token","x"],"user":{"id":"u-1","token_type":"bearer"},
        "signedURL":"/object/sign/lens/a.jpg?width=3&token=\(signature)&download="}
        """

    func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
        var fields = HTTPFields()
        fields[.location] = "/next?page=2&access_token=\(Self.access)"
        let bytes = ArraySlice(Array(Self.session.utf8))
        let chunks = stride(from: 0, to: bytes.count, by: chunk).map {
            Array(bytes.dropFirst($0).prefix(chunk))
        }
        let taken = Box(0)
        let stream = ByteStream { () async throws(TransportError) -> [UInt8]? in
            let number = taken.add(1) - 1
            return number < chunks.count ? chunks[number] : nil
        }
        return (HTTPResponse(status: .ok, headerFields: fields), .stream(stream, length: nil))
    }

    func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
        .accept(WebSocketLimits()) { socket in
            _ = try? await socket.receive()
            let update = #"{"sessionResumptionUpdate":{"newHandle":"\#(Self.handle)","resumable":true}}"#
            try? await socket.send(binary: Array(update.utf8))
            _ = try? await socket.receive()
        }
    }
}

@Suite("Secrets that services issue")
struct IssuedSecretTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A program that uses what it was issued, in other places.
    @Sendable private static func use(_ transport: any Transport) async throws -> [String] {
        let request = HTTPRequest(method: .post, scheme: "http", authority: "peer", path: "/token")
        let form = #"{"grant":"password","password":"hunter2-hunter2"}"#
        let (head, body) = try await transport.send(request, body: .text(form), timeout: .seconds(5))
        let text = String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
        let session = try JSONDecoder().decode(Session.self, from: Data(text.utf8))
        let again = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "peer",
            path:
                "/use/\(session.access_token.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(["-"])) ?? "")"
        )
        let used = try await transport.send(
            again,
            body: .text("refresh=\(session.Refresh_Token)&url=\(session.signedURL)"),
            timeout: .seconds(5)
        )
        _ = try await used.body.collect(upTo: 1 << 20)
        let upgrade = HTTPRequest(method: .get, scheme: "ws", authority: "peer", path: "/")
        let socket = try await transport.connect(upgrade, limits: WebSocketLimits(), timeout: .seconds(5))
        try await socket.send(text: #"{"setup":{"sessionResumption":{}}}"#)
        guard case .binary(let update) = try await socket.receive() else { return [] }
        let handle = String(decoding: update, as: UTF8.self).split(separator: "\"")[5]
        try await socket.send(text: #"{"setup":{"sessionResumption":{"handle":"\#(handle)"}}} by \#(handle)"#)
        return ["\(head.headerFields)", text, "\(handle)"]
    }

    private struct Session: Decodable {
        var access_token: String
        var Refresh_Token: String
        var signedURL: String
        var token: String
    }

    private func record(chunk: Int) throws -> String {
        let path = folder.file("chunks-of-\(chunk)")
        let writer = try SessionWriter(path: path, manifest: .sample)
        try Simulation(seed: 1).run {
            let transport = RecordingTransport(
                try await SimulatedNetwork.client(of: Issuer(chunk: chunk)),
                writer: writer,
                clock: SessionClock()
            )
            let heard = try await Self.use(transport)
            #expect(
                heard[1].contains(Issuer.access) && heard[2] == Issuer.handle,
                "the program gets what was sent"
            )
        }
        writer.add(
            TraceEvent(step: 0, nanoseconds: 0, node: "a", kind: "state", detail: "has \(Issuer.access)")
        )
        writer.add(file: "a", bytes: Array("kept \(Issuer.refresh)".utf8))
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: "no \(Issuer.handle)"))
        return path
    }

    @Test(
        "LENS-253 what a service issues is in no recording, however it is cut, and neither where it is used",
        arguments: Array(1...40) + [100, 10_000]
    )
    func issued(chunk: Int) throws {
        let path = try record(chunk: chunk)
        let bytes = try Data(contentsOf: URL(filePath: path))
        for trace in ["4f3a9c", "71c9", "e0d2ab", "d07c55", "signed-url", "9e21", "hunter2"] {
            #expect(bytes.range(of: Data(trace.utf8)) == nil, "\(trace)")
        }
        let session = try SessionReader(path: path)
        #expect(session.outcome?.failure == "no <redacted-3>")
        #expect(try session.events().map(\.detail) == ["has <redacted-1>"])
        let answer = try session.messages(of: 0).filter { $0.direction == .in && $0.kind == .body }
        let text = String(decoding: answer.flatMap(\.bytes), as: UTF8.self)
        // What is no credential stays, and an empty one is still empty.
        #expect(
            text == """
                {"access_token" : "<redacted-1>","expires_in":3600,"Refresh_Token":"<redacted-2>","token":"",
                "tokens":"many","name":"token","list":["token","x"],"user":{"id":"u-1","token_type":"bearer"},
                "signedURL":"/object/sign/lens/a.jpg?width=3&token=<redacted>&download="}
                """
        )
        let head = try String(
            decoding: #require(session.messages(of: 0).first { $0.direction == .in }).bytes,
            as: UTF8.self
        )
        #expect(head.contains("/next?page=2&access_token=<redacted>\n") || head.hasSuffix("=<redacted>"))
    }

    @Test("without what was issued a session replays the same", arguments: [1, 7, 1_000])
    func replayed(chunk: Int) throws {
        let session = try SessionReader(path: try record(chunk: chunk))
        let comparison = Comparison()
        try Simulation(seed: 2).run {
            let transport = try ReplayTransport(
                session,
                clock: SessionClock(),
                comparison: comparison,
                secrets: [Secret("<redacted>")]
            )
            let heard = try await Self.use(transport)
            #expect(heard[2] == "<redacted-3>")
            transport.finish()
        }
        #expect(comparison.firstDifference == nil)
        #expect(comparison.compared >= 6)
    }

    /// Issues handles without end, the same one every third time.
    private struct HandleIssuer: Server {
        static func handle(_ number: Int) -> String { "handle-\(number % 3 == 2 ? 1 : number)-d07c55ae9b13" }

        func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody) {
            let number = Int(request.path?.dropFirst() ?? "") ?? 0
            return (HTTPResponse(status: .ok), .text(#"{"handle":"\#(Self.handle(number))"}"#))
        }
    }

    /// Asks for handles, and returns them with what it sent again.
    @Sendable private static func collect(_ count: Int, _ transport: any Transport) async throws -> [String] {
        var handles: [String] = []
        for number in 0..<count {
            let request = HTTPRequest(method: .get, scheme: "http", authority: "peer", path: "/\(number)")
            let body = handles.last.map { HTTPBody.text("last: \($0)") } ?? .empty
            let answer = try await transport.send(request, body: body, timeout: .seconds(5))
            let text = String(decoding: try await answer.body.collect(upTo: 1 << 20), as: UTF8.self)
            handles.append(String(text.split(separator: "\"")[3]))
        }
        return handles
    }

    private func recordHandles(_ count: Int) throws -> SessionReader {
        let path = folder.file("handles")
        let writer = try SessionWriter(path: path, manifest: .sample)
        writer.learn([Secret("a-secret-of-the-user")])
        try Simulation(seed: 1).run {
            let transport = RecordingTransport(
                try await SimulatedNetwork.client(of: HandleIssuer()),
                writer: writer,
                clock: SessionClock()
            )
            let handles = try await Self.collect(count, transport)
            #expect(handles == (0..<count).map(HandleIssuer.handle))
        }
        writer.add(
            TraceEvent(step: 0, nanoseconds: 0, node: "a", kind: "state", detail: "kept a-secret-of-the-user")
        )
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        return try SessionReader(path: path)
    }

    @Test func `what was equal for the program is equal in a replay, and what differed differs`() throws {
        let session = try recordHandles(7)
        let comparison = Comparison()
        try Simulation(seed: 2).run {
            let transport = try ReplayTransport(session, clock: SessionClock(), comparison: comparison)
            let handles = try await Self.collect(7, transport)
            #expect(
                handles == [1, 2, 2, 3, 4, 2, 5].map { "<redacted-\($0)>" }
            )
            transport.finish()
        }
        #expect(comparison.firstDifference == nil)
    }

    @Test func `however many values are issued, the last ones are in no place of a recording`() throws {
        let count = 1_800
        let session = try recordHandles(count)
        let sent = try (0..<count).map { number in
            let out = try session.messages(of: number).filter { $0.direction == .out && $0.kind == .body }
            return String(decoding: out.flatMap(\.bytes), as: UTF8.self)
        }
        #expect(sent.dropFirst().allSatisfy { $0.wholeMatch(of: /last: <redacted-\d+>/) != nil })
        // What was named before is looked for still.
        #expect(try session.events().map(\.detail) == ["kept <redacted>"])
        let bytes = try Data(contentsOf: URL(filePath: session.path))
        #expect(bytes.range(of: Data("d07c55ae9b13".utf8)) == nil)
    }

    @Test func `an answer with more values than are looked for has a word for each`() throws {
        struct Many: Server {
            func respond(to request: HTTPRequest, body: HTTPBody) async -> (
                head: HTTPResponse, body: HTTPBody
            ) {
                let members = (0..<1_500).map { #"{"token":"value-\#($0)-of-many"}"# }
                return (HTTPResponse(status: .ok), .text(members.joined(separator: ",")))
            }
        }
        let path = folder.file("many")
        let writer = try SessionWriter(path: path, manifest: .sample)
        try Simulation(seed: 1).run {
            let transport = RecordingTransport(
                try await SimulatedNetwork.client(of: Many()),
                writer: writer,
                clock: SessionClock()
            )
            let request = HTTPRequest(method: .get, scheme: "http", authority: "peer", path: "/")
            let answer = try await transport.send(request, body: .empty, timeout: .seconds(5))
            _ = try await answer.body.collect(upTo: 1 << 20)
        }
        let detail = "value-1499-of-many value-900-of-many"
        writer.add(TraceEvent(step: 0, nanoseconds: 0, node: "a", kind: "state", detail: detail))
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let session = try SessionReader(path: path)
        let bytes = try session.messages(of: 0).filter { $0.direction == .in && $0.kind == .body }.flatMap(
            \.bytes
        )
        let members = (1...1_500).map { #"{"token":"<redacted-\#($0)>"}"# }
        #expect(String(decoding: bytes, as: UTF8.self) == members.joined(separator: ","))
        #expect(try session.events().map(\.detail) == ["<redacted-1500> <redacted-901>"])
    }

    @Test func `a value that is named after it was found is never forgotten`() {
        for isIssued in [false, true] {
            var mask = SecretMask([])
            let secret = Secret("kept-for-good")
            let word = isIssued ? mask.issue(secret) : mask.find(secret)
            mask.learn([secret])
            for number in 0..<2 * SecretMask.mostFound { _ = mask.issue(Secret("value-\(number)-of-many")) }
            #expect(mask.masked("kept-for-good, value-0-of-many") == "\(word), value-0-of-many")
        }
    }

    @Test func `what is found in datagrams takes no room of what is named`() throws {
        let writer = try SessionWriter(path: folder.file("found"), manifest: .sample)
        writer.find((0..<2 * SecretMask.mostFound).map { Secret("datagram-\($0)-of-many") })
        writer.learn([Secret("the-key-of-the-user")])
        writer.find((0..<2 * SecretMask.mostFound).map { Secret("another-\($0)-of-many") })
        #expect(
            writer.mask.masked("the-key-of-the-user, datagram-0-of-many") == "<redacted>, datagram-0-of-many"
        )
    }

    @Test func `letters that are written in two ways are two values`() {
        let mask = SecretMask([Secret("p\u{E4}ssword-12"), Secret("pa\u{308}ssword-12")])
        #expect(mask.masked("p\u{E4}ssword-12, pa\u{308}ssword-12") == "<redacted>, <redacted>")
    }

    /// Compares each value with each place in time that does not grow with the product of both and their bytes.
    @Test func `values that differ only in how long they are do not hold up a text that is like them`() {
        func run(_ count: Int) -> String { String(repeating: "a", count: count) }
        let mask = SecretMask((0..<100).map { Secret(run(8_000 + 10 * $0) + "b") })
        let bytes = Array(run(20_000).utf8)
        #expect(mask.masked(bytes) == bytes && mask.openCount(bytes) == 8_990)
        #expect(mask.restCount(Array((run(4_000) + "b").utf8)) == 4_001)
        #expect(mask.masked(run(9_000) + "b") == run(10) + SecretMask.word)
    }

    @Test func `of two values that begin alike the longer one is masked whole`() {
        for secrets in [["a-secret", "a-secret-and-more"], ["a-secret-and-more", "a-secret"]] {
            let mask = SecretMask(secrets.map { Secret($0) })
            #expect(mask.masked("a-secret-and-more, a-secret.") == "<redacted>, <redacted>.")
        }
    }

    @Test(arguments: 1...20)
    func `many values with a common beginning are found wherever they stand`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let letters = Array("abcdefgh")
        func word(_ count: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: count, using: &generator)).map { _ in
                    letters.randomElement(using: &generator) ?? "a"
                }
            )
        }
        let secrets = Set(
            (0..<300).map { "\($0.isMultiple(of: 2) ? "eyJhbGciOi." : "")\($0)-\(word(6...40))" }
        )
        let ordered = secrets.sorted()
        let mask = SecretMask(ordered.map { Secret($0) })
        var (text, expected) = ("", "")
        for _ in 0..<400 {
            let plain = word(1...9)
            let secret = ordered.randomElement(using: &generator) ?? ""
            text += " \(plain) \(secret)"
            expected += " \(plain) <redacted>"
        }
        #expect(mask.masked(text) == expected)
    }

    @Test(arguments: 1...40)
    func `the beginning of a value at the end, and the end of one at the beginning, are the longest`(
        seed: UInt64
    ) {
        var generator = SeededGenerator(seed: seed)
        func word(_ count: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: count, using: &generator)).map { _ in
                UInt8.random(in: 97...98, using: &generator)
            }
        }
        var patterns = SecretPatterns()
        let words = Set((0..<8).map { _ in word(6...14) })
        for word in words { patterns.insert(word, word: [42]) }
        for _ in 0..<200 {
            let text = word(0...20)
            let open = (0...text.count).last { count in
                words.contains { $0.count > count && $0.starts(with: text.suffix(count)) }
            }
            let rest = (0...text.count).last { count in
                words.contains { $0.count > count && $0.suffix(count) == text.prefix(count) }
            }
            #expect(
                patterns.openCount(text) == open && patterns.restCount(text) == rest,
                "\(text) of \(words)"
            )
        }
    }

    @Test func `what a store of secrets is given or gives is in no recording from then on`() throws {
        let path = folder.file("store")
        let writer = try SessionWriter(path: path, manifest: .sample)
        let store = RecordingSecretStore(
            InMemorySecretStore(["old": Secret("the-old-value")]),
            writer: writer
        )
        #expect(try store.secret(named: "old")?.reveal() == "the-old-value")
        #expect(try store.secret(named: "absent") == nil)
        try store.set(Secret("the-new-value"), named: "new")
        #expect(try store.secret(named: "new")?.reveal() == "the-new-value")
        try store.set(nil, named: "new")
        #expect(try store.secret(named: "new") == nil)
        writer.add(file: "a", bytes: Array("the-old-value, the-new-value, the-other-value".utf8))
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let kept = try SessionReader(path: path).files()["a"] ?? []
        #expect(String(decoding: kept, as: UTF8.self) == "*************, *************, the-other-value")
    }

    @Test func `bytes that are no text pass unchanged, and a value without an end does not grow`() throws {
        var generator = SeededGenerator(seed: 5)
        let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let path = folder.file("noise")
        let writer = try SessionWriter(path: path, manifest: .sample)
        let endless = Array("{\"token\":\"".utf8) + [UInt8](repeating: 0x61, count: 3 << 20)
        for (number, bytes) in [noise, endless].enumerated() {
            struct Sender: Server {
                var bytes: [UInt8]
                func respond(to request: HTTPRequest, body: HTTPBody) async -> (
                    head: HTTPResponse, body: HTTPBody
                ) {
                    (HTTPResponse(status: .ok), .bytes(bytes))
                }
            }
            try Simulation(seed: UInt64(number)).run {
                let transport = RecordingTransport(
                    try await SimulatedNetwork.client(of: Sender(bytes: bytes)),
                    writer: writer,
                    clock: SessionClock()
                )
                let request = HTTPRequest(method: .get, scheme: "http", authority: "peer", path: "/")
                let answer = try await transport.send(request, body: .empty, timeout: .seconds(60))
                #expect(try await answer.body.collect(upTo: 4 << 20) == bytes)
            }
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let session = try SessionReader(path: path)
        func body(_ number: Int) throws -> [UInt8] {
            try session.messages(of: number).filter { $0.direction == .in && $0.kind == .body }.flatMap(
                \.bytes
            )
        }
        #expect(try body(0) == noise)
        #expect(try String(decoding: body(1), as: UTF8.self) == "{\"token\":\"<redacted>")
    }
}
