import Foundation
import HTTPTypes
import PeerKit
import Services
import SupabaseServer
import SupabaseStorage
import Synchronization
import TestSupport
import Testing
import Transport

@Suite("Supabase object store")
struct ObjectStoreTests {
    private let project = SupabaseProject.uploads(to: "media")

    private func store(
        _ client: any HTTPClient,
        _ change: (inout SupabaseConfiguration) -> Void = { _ in }
    ) -> SupabaseObjectStore {
        var configuration = SupabaseConfiguration(
            projectURL: "https://project.example",
            bucket: "media",
            key: Secret(project.anonymousKey)
        )
        change(&configuration)
        return SupabaseObjectStore(configuration, client: client)
    }

    private func putting(
        _ server: some Server,
        _ change: (inout SupabaseConfiguration) -> Void = { _ in }
    ) async -> ObjectStoreError? {
        do throws(ObjectStoreError) {
            try await store(ServerClient(server), change)
                .put([1], at: ObjectKey("a/b.jpg"), contentType: "image/jpeg")
            return nil
        } catch {
            return error
        }
    }

    @Test("LENS-180 an upload is a POST of the bare bytes with both credentials, its type, and no upsert")
    func uploadOnTheWire() async throws {
        let server = try SupabaseServer(project)
        let client = ServerClient(server)
        try await store(client).put([1, 2], at: ObjectKey("2026/a b+c?.jpg"), contentType: "image/jpeg")
        let sent = try #require(client.sent.first)
        #expect(client.sent.count == 1)
        #expect(sent.request.method == .post)
        #expect(sent.request.scheme == "https")
        #expect(sent.request.authority == "project.example")
        #expect(sent.request.path == "/storage/v1/object/media/2026/a%20b+c%3F.jpg")
        #expect(sent.request.headerFields[.authorization] == "Bearer \(project.anonymousKey)")
        #expect(sent.request.headerFields[HTTPField.Name("apikey")!] == project.anonymousKey)
        #expect(sent.request.headerFields[HTTPField.Name("x-upsert")!] == "false")
        #expect(sent.request.headerFields[.contentType] == "image/jpeg")
        #expect(sent.request.headerFields[.cacheControl] == "max-age=3600")
        #expect(sent.body == [1, 2])
        let stored = try #require(server.objects(in: "media").first)
        #expect(stored.key == "2026/a b+c?.jpg")
        #expect(stored.cacheControl == "max-age=3600")
    }

    @Test("LENS-180 the public address is made of project, bucket and escaped path")
    func publicAddress() throws {
        let server = FixedServer(status: 200, body: .empty)
        let url = try store(ServerClient(server)).publicURL(of: ObjectKey("2026/a b.jpg"))
        #expect(url == "https://project.example/storage/v1/object/public/media/2026/a%20b.jpg")
        let nested = store(ServerClient(server)) { $0.projectURL = " http://127.0.0.1:54321/base/ \n" }
        #expect(
            try nested.publicURL(of: ObjectKey("a"))
                == "http://127.0.0.1:54321/base/storage/v1/object/public/media/a"
        )
    }

    @Test(
        "LENS-181 statuses become codes, transient where trying again helps, in the service's envelope or on their own",
        arguments: [
            (401, ObjectStoreError.Code.unauthorized), (403, .unauthorized), (404, .notFound),
            (408, .timedOut), (409, .alreadyExists), (413, .tooLarge), (415, .invalidRequest),
            (423, .serverError), (429, .slowDown), (500, .serverError), (502, .serverError), (503, .slowDown),
            (504, .timedOut), (520, .serverError), (544, .timedOut),
        ]
    )
    func statuses(_ status: Int, _ code: ObjectStoreError.Code) async throws {
        let envelope = "{\"statusCode\":\"\(status)\",\"error\":\"Label\",\"message\":\"what came back\"}"
        let inside = await putting(FixedServer(status: 400, body: .text(envelope)))
        #expect(inside?.code == code)
        #expect(inside?.isTransient == [.serverError, .slowDown, .timedOut].contains(code))
        #expect(inside?.detail == "HTTP 400, status \(status), Label, what came back")
        let number = "{\"statusCode\":\(status),\"error\":7}"
        #expect(await putting(FixedServer(status: 400, body: .text(number)))?.code == code)
        let page = await putting(
            FixedServer(status: status, body: .text("<html>\n<b>went   wrong</b></html>"))
        )
        #expect(page?.code == code)
        #expect(page?.detail == "HTTP \(status), <html> <b>went wrong</b></html>")
        #expect(await putting(FixedServer(status: status, body: .empty))?.code == code)
    }

    @Test(arguments: [429, 503, 500]) func `a refusal says how long the service asks to wait`(
        status: Int
    ) async {
        let asks = FixedServer(status: status, body: .text("busy"), headers: [.retryAfter: "34"])
        #expect(await putting(asks)?.retryAfter == .seconds(34))
        #expect(await putting(FixedServer(status: status, body: .text("busy")))?.retryAfter == nil)
    }

    @Test(
        "a refused or silent network is transient, a server that cannot be trusted is not",
        arguments: TransportError.Code.allCases
    )
    func networkFailures(_ code: TransportError.Code) async {
        struct Failing: HTTPClient {
            let code: TransportError.Code
            func send(
                _ request: HTTPRequest,
                body: HTTPBody,
                limits: HTTPLimits
            ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
                throw TransportError(code, operation: "send request", peer: "project.example")
            }
        }
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(Failing(code: code)).put([1], at: ObjectKey("a"), contentType: "image/jpeg")
        }
        let expected: ObjectStoreError.Code =
            switch code {
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .tooLarge: .tooLarge
            case .certificateRejected, .protocolViolation, .upgradeRefused: .untrusted
            default: .network
            }
        #expect(error?.code == expected)
        #expect(error?.isTransient == ![.tooLarge, .untrusted].contains(expected))
    }

    @Test(
        "without address, key or usable ones nothing is sent",
        arguments: [
            (nil, "key"), ("", "key"), ("https://p.example", nil), ("https://p.example", " \n"),
            ("p.example", "key"), ("ftp://p.example", "key"), ("https://", "key"), ("https://:80", "key"),
            ("https://user:word@p.example", "key"), ("https://p.example?x=1", "key"),
            ("https://p.example\r\nx: y", "key"), ("https://p.example", "key\r\nx-upsert: true"),
        ] as [(String?, String?)]
    )
    func notConfigured(_ address: String?, _ key: String?) async throws {
        let client = ServerClient(try SupabaseServer(project))
        let store = store(client) {
            $0.projectURL = address
            $0.key = key.map { Secret($0) }
        }
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store.put([1], at: ObjectKey("a"), contentType: "image/jpeg")
        }
        #expect(error?.code == .notConfigured)
        #expect(error?.description.contains("word") == false)
        await #expect(throws: ObjectStoreError.self) { try await store.get(ObjectKey("a"), upTo: 1) }
        await #expect(throws: ObjectStoreError.self) { try await store.info(ObjectKey("a")) }
        #expect(throws: ObjectStoreError.self) { try store.publicURL(of: ObjectKey("a")) }
        #expect(client.sent.isEmpty)
    }

    @Test
    func `a removal is one DELETE, and a key that may not remove is another error than an absent object`()
        async throws
    {
        let server = try SupabaseServer(project)
        let client = ServerClient(server)
        try await store(client).put([1], at: ObjectKey("a b.jpg"), contentType: "image/jpeg")
        try await store(client).remove(ObjectKey("a b.jpg"))
        #expect(client.sent.last?.request.method == .delete && client.sent.count == 2)
        #expect(client.sent.last?.request.path == "/storage/v1/object/media/a%20b.jpg")
        #expect(server.objects(in: "media").isEmpty)

        var strict = project
        strict.policies = [StoragePolicy(.anonymous, may: [.insert, .select], on: .objects(bucket: "media"))]
        let guarded = ServerClient(try SupabaseServer(strict))
        try await store(guarded).put([1], at: ObjectKey("a.jpg"), contentType: "image/jpeg")
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(guarded).remove(ObjectKey("a.jpg"))
        }
        #expect(error?.code == .unauthorized && error?.operation == "remove")
        try await store(guarded).remove(ObjectKey("absent.jpg"))
    }

    @Test func `a page of a captive portal is no removal`() async throws {
        let server = try SupabaseServer(project)
        try await store(ServerClient(server)).put([1], at: ObjectKey("a.jpg"), contentType: "image/jpeg")
        try server.faults.arm("http.portal", atMost: 1)
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(ServerClient(server)).remove(ObjectKey("a.jpg"))
        }
        #expect(error?.isTransient == true && server.objects(in: "media").count == 1)
    }

    @Test func `a page of a captive portal is no object`() async throws {
        let server = try SupabaseServer(project)
        let store = store(ServerClient(server))
        let key = ObjectKey("a.html")
        try await store.put(Array("<html>mine</html>".utf8), at: key, contentType: "text/html")
        try server.faults.arm("http.portal", atMost: 1)
        let error = await #expect(throws: ObjectStoreError.self) { try await store.get(key, upTo: 1000) }
        #expect(error?.code == .serverError)
        // A page that was stored comes as plain text.
        #expect(try await store.get(key, upTo: 1000) == Array("<html>mine</html>".utf8))
    }

    @Test("address and key are read from the secret store again for each request")
    func readsSecrets() async throws {
        final class Secrets: SecretStore {
            let values = Mutex<[String: Secret]>([:])
            func secret(named name: String) throws(SecretStoreError) -> Secret? {
                values.withLock { $0[name] }
            }
            func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
                values.withLock { $0[name] = secret }
            }
        }
        let secrets = Secrets()
        let client = ServerClient(try SupabaseServer(project))
        let store = SupabaseObjectStore(from: secrets, bucket: "media", client: client)
        let error = await #expect(throws: ObjectStoreError.self) { try await store.info(ObjectKey("a")) }
        #expect(error?.code == .notConfigured)
        #expect(client.sent.isEmpty)
        try secrets.set(Secret("https://project.example"), named: "supabase.url")
        try secrets.set(Secret(project.anonymousKey), named: "supabase.key")
        #expect(try await store.info(ObjectKey("a")) == nil)
    }

    @Test func `metadata goes along only if wanted, and the upload works either way`() async throws {
        let server = try SupabaseServer(project)
        let client = ServerClient(server)
        try await store(client).put([1, 2, 3], at: ObjectKey("plain"), contentType: "image/jpeg")
        let options = PutOptions(contentType: "image/jpeg", metadata: ["takenBy": "me", "size": "3"])
        try await store(client).put(ObjectContent([1, 2, 3]), at: ObjectKey("told"), options, report: nil)
        let stored = server.objects(in: "media")
        #expect(stored.map(\.key) == ["plain", "told"])
        #expect(stored[0].metadata == nil)
        let text = try #require(stored[1].metadata)
        let fields = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        )
        #expect(fields == options.metadata)
        #expect(try await store(client).info(ObjectKey("told"))?.metadata == ["takenby": "me", "size": "3"])
        for wrong in [["a b": "c"], ["": "c"], ["a": "\r\nX: y"], ["a": " b"], ["ä": "b"]] {
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store(client).put(
                    ObjectContent([1]),
                    at: ObjectKey("wrong"),
                    PutOptions(contentType: "image/jpeg", metadata: wrong),
                    report: nil
                )
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test("a page of somebody in between is not taken for success")
    func captivePortal() async {
        let page = FixedServer(status: 200, body: .text("<html>Please sign in</html>"))
        #expect(await putting(page)?.code == .serverError)
        let other = FixedServer(status: 200, body: .text("{\"Id\":\"1\",\"Key\":\"media/other.jpg\"}"))
        #expect(await putting(other)?.code == .serverError)
        #expect(await putting(FixedServer(status: 302, body: .empty))?.code == .serverError)
        let asked = store(ServerClient(page))
        let error = await #expect(throws: ObjectStoreError.self) { try await asked.info(ObjectKey("a")) }
        #expect(error?.code == .serverError)
    }

    @Test(
        "an absent bucket or a proxy's 404 is not an absent object",
        arguments: [
            "{\"statusCode\":\"404\",\"error\":\"Bucket not found\",\"message\":\"Bucket not found\"}",
            "{\"statusCode\":\"404\",\"error\":\"Bucket not found\",\"code\":\"not_found\"}",
            "{\"statusCode\":\"404\",\"error\":\"not_found\",\"code\":\"NoSuchBucket\"}",
            "<html>404</html>", "", "{\"message\":\"no Route matched with those values\"}",
        ]
    )
    func notAnAbsentObject(_ body: String) async {
        let asked = store(ServerClient(FixedServer(status: 404, body: .text(body))))
        let error = await #expect(throws: ObjectStoreError.self) { try await asked.info(ObjectKey("a")) }
        #expect(error?.code == .notFound)
    }

    @Test("no error holds the key, however the server echoes it")
    func keyStaysSecret() async {
        let key = project.anonymousKey
        let escaped = key.unicodeScalars.map { "\\u00" + String($0.value, radix: 16) }.joined()
        let echoes = [
            "{\"message\":\"\(escaped)\"}", "bad key \(key)",
            "{\"statusCode\":\"403\",\"error\":\"\(key)\",\"message\":\"Bearer \(key)\"}",
            String(repeating: "x", count: 280) + key,
        ]
        for echo in echoes {
            let error = await putting(FixedServer(status: 400, body: .text(echo)))
            let texts = [error.map { "\($0)" } ?? "", String(reflecting: error), error?.detail ?? ""]
            #expect(error != nil)
            #expect(texts.allSatisfy { !$0.contains(key.suffix(20)) && !$0.contains(key.prefix(20)) })
        }
        #expect(
            "\(SupabaseConfiguration(projectURL: "u", bucket: "b", key: Secret(key)))".contains(key) == false
        )
    }

    @Test func `no error holds the key when the network's own error does`() async {
        struct Echoing: HTTPClient {
            let key: String
            func send(
                _ request: HTTPRequest,
                body: HTTPBody,
                limits: HTTPLimits
            ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
                throw TransportError(.reset, operation: "send request", peer: "p", detail: "apikey: \(key)")
            }
        }
        let key = project.anonymousKey
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(Echoing(key: key)).put([1], at: ObjectKey("a"), contentType: "image/jpeg")
        }
        #expect(error?.detail.contains("apikey: <secret>") == true)
        #expect(error.map { "\($0)" }?.contains(key) == false)
    }

    @Test func `an object that is declared too large is refused before any of it is read`() async {
        let chunks = Mutex(0)
        let stream = ByteStream { () async throws(TransportError) in
            chunks.withLock { $0 += 1 }
            return nil
        }
        struct Large: HTTPClient {
            let stream: ByteStream
            func send(
                _ request: HTTPRequest,
                body: HTTPBody,
                limits: HTTPLimits
            ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
                // The declared length stands in the head alone, as after a transport that does not pass it on.
                let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "11"])
                return (head, .stream(stream, length: nil))
            }
        }
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(Large(stream: stream)).get(ObjectKey("a"), upTo: 10)
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.detail == "11 bytes, and at most 10 were wanted")
        #expect(chunks.withLock { $0 } == 0)
    }

    @Test func `the longest name is accepted`() async throws {
        let client = ServerClient(try SupabaseServer(project))
        let path = String(repeating: "a", count: 1024)
        #expect(try await store(client).info(ObjectKey(path)) == nil)
        #expect(client.sent.count == 1)
    }

    @Test("an endless error page is read only at its beginning")
    func endlessPage() async {
        let chunks = Mutex(0)
        let stream = ByteStream { () async throws(TransportError) in
            chunks.withLock { $0 += 1 }
            return Array(repeating: UInt8(ascii: "x"), count: 1024)
        }
        struct Endless: HTTPClient {
            let stream: ByteStream
            func send(
                _ request: HTTPRequest,
                body: HTTPBody,
                limits: HTTPLimits
            ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
                (HTTPResponse(status: .badGateway), .stream(stream, length: nil))
            }
        }
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(Endless(stream: stream)).get(ObjectKey("a"), upTo: 10)
        }
        #expect(error?.code == .serverError)
        #expect((error?.detail.count ?? 0) < 400)
        #expect(chunks.withLock { $0 } == 64)
    }

    @Test("a body shorter than declared is not taken for the object")
    func shortBody() async {
        var server = FixedServer(status: 200, body: .text("abc"))
        server.headers[.contentLength] = "4"
        let asked = store(ServerClient(server))
        let error = await #expect(throws: ObjectStoreError.self) {
            try await asked.get(ObjectKey("a"), upTo: 10)
        }
        #expect(error?.code == .network)
    }

    @Test(
        "names that the service refuses are refused before anything is sent",
        arguments: [
            "ä.jpg", "a%20b", "a#b", "a[1]", "{a}", "<a>", "a\\b", "~a", "a\"b", "a^b", "a`b", "a|b",
            "a\u{7F}",
            String(repeating: "a", count: 1025),
        ]
    )
    func refusedNames(_ path: String) async throws {
        let client = ServerClient(try SupabaseServer(project))
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(client).put([1], at: ObjectKey(path), contentType: "image/jpeg")
        }
        #expect(error?.code == .invalidRequest)
        #expect(client.sent.isEmpty)
    }

    @Test(
        "a media type that would break the header is refused",
        arguments: ["", "image", "a/b\r\nx: y", "a /b", "ä/b"]
    )
    func mediaTypes(_ type: String) async throws {
        let client = ServerClient(try SupabaseServer(project))
        let error = await #expect(throws: ObjectStoreError.self) {
            try await store(client).put([1], at: ObjectKey("a"), contentType: type)
        }
        #expect(error?.code == .invalidRequest)
        #expect(client.sent.isEmpty)
    }

    @Test("random answers never crash the client, and never pass for a receipt")
    func randomAnswers() async {
        var random = SeededGenerator(seed: 41)
        let words = [
            "{", "}", "\"statusCode\"", ":", "\"409\"", "404", ",", "\"error\"", "\"Key\"", "null", "[",
            "\u{0}",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined()
            let status = [200, 204, 206, 301, 400, 404, 499, 500, 599].randomElement(using: &random) ?? 200
            #expect(await putting(FixedServer(status: status, body: .text(text))) != nil)
        }
    }
}
