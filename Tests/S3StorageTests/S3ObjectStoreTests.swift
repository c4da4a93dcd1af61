import AWSSignature
import HTTPTypes
import S3Server
import S3Storage
import Services
import SimulatedDevice
import TestSupport
import Testing
import Transport

@Suite("S3 storage")
struct S3ObjectStoreTests {
    private let server = S3Server(
        S3Account(
            buckets: [S3Account.Bucket("media"), S3Account.Bucket("open", isPublic: true)],
            domain: "s3.example.com"
        )
    )
    private let client: TroubledClient
    private let key = ObjectKey("photos/ü 1.jpg")

    init() { client = TroubledClient(ServerClient(server: server)) }

    private func store(_ change: (inout S3Configuration) -> Void = { _ in }) -> S3ObjectStore {
        var configuration = S3Configuration(
            endpoint: "https://s3.example.com/",
            bucket: "media",
            credentials: S3Account.constantCredentials
        )
        change(&configuration)
        return S3ObjectStore(configuration, client: client)
    }

    private func refusal(_ work: () async throws -> Void) async -> ObjectStoreError? {
        await #expect(throws: ObjectStoreError.self) { try await work() }
    }

    @Test func `what is put carries its type and how caches may keep it`() async throws {
        try await store().put([1, 2, 3], at: key, contentType: "image/jpeg")
        let object = try #require(server.objects(in: "media").first)
        #expect(object.key == key.path && object.bytes == [1, 2, 3] && object.contentType == "image/jpeg")
        #expect(client.lines == ["PUT /media/photos/%C3%BC%201.jpg"])
        #expect(client.sent.first?.headerFields[.cacheControl] == "max-age=3600")
        #expect(client.sent.first?.headerFields[.ifNoneMatch] == "*")
        #expect(try await store().info(key)?.contentType == "image/jpeg")
    }

    @Test func `a bucket is in the path or in the host`() throws {
        #expect(try store().publicURL(of: key) == "https://s3.example.com/media/photos/%C3%BC%201.jpg")
        let inHost = store { $0.addressing = .host }
        #expect(try inHost.publicURL(of: key) == "https://media.s3.example.com/photos/%C3%BC%201.jpg")
        let fronted = store { $0.publicAddress = "https://cdn.example.com/files/" }
        #expect(try fronted.publicURL(of: key) == "https://cdn.example.com/files/photos/%C3%BC%201.jpg")
    }

    @Test func `a signed address reads for a time, and another takes one type alone`() async throws {
        let store = store()
        try await store.put([1, 2, 3], at: key, contentType: "image/jpeg")
        func ask(_ address: String, _ method: HTTPRequest.Method = .get, _ type: String? = nil) async throws
            -> Int
        {
            let prefix = "https://s3.example.com"
            var request = HTTPRequest(
                method: method,
                scheme: "https",
                authority: "s3.example.com",
                path: String(address.dropFirst(prefix.count))
            )
            #expect(address.hasPrefix(prefix))
            request.headerFields[.contentType] = type
            return await server.respond(to: request, body: .bytes([4])).head.status.code
        }
        #expect(try await ask(store.signedURL(to: .read, key, lifetime: .seconds(60))) == 200)
        #expect(try await ask(store.signedURL(to: .read, key, lifetime: .seconds(60)), .delete) == 403)
        #expect(try await ask(store.publicURL(of: key)) == 403)
        let other = ObjectKey("other")
        let write = try await store.signedURL(
            to: .write(contentType: "image/png"),
            other,
            lifetime: .seconds(60)
        )
        #expect(try await ask(write, .put, "image/gif") == 403)
        #expect(try await ask(write, .put, "image/png") == 200)
        #expect(try await store.get(other, upTo: 10) == [4])
        for lifetime in [0, -1, 604_801] {
            let error = await #expect(throws: ObjectStoreError.self) {
                try await store.signedURL(to: .read, key, lifetime: .seconds(lifetime))
            }
            #expect(error?.code == .invalidRequest)
        }
        await #expect(throws: ObjectStoreError.self) {
            try await store.signedURL(to: .write(contentType: "x"), key, lifetime: .seconds(1))
        }
    }

    @Test func `without address or keys nothing is sent`() async throws {
        let changes: [(inout S3Configuration) -> Void] = [
            { $0.endpoint = nil }, { $0.endpoint = " " }, { $0.endpoint = "s3.example.com" },
            { $0.endpoint = "https://user:password@s3.example.com" }, { $0.credentials = nil },
            { $0.credentials?.secretKey = Secret("") }, { $0.credentials?.accessKey = "a,b" },
            { $0.credentials?.sessionToken = Secret("a\r\nb") }, { $0.bucket = "A" }, { $0.region = "a b" },
            { $0.publicAddress = "cdn" },
        ]
        for change in changes {
            let error = await refusal { try await store(change).put([1], at: key, contentType: "a/b") }
            #expect(error?.code == .notConfigured && error?.key == key.path)
            #expect(error?.description.contains("password") == false)
        }
        #expect(client.sent.isEmpty)
    }

    @Test func `keys are asked for before each request, and read from a store of secrets`() async throws {
        let secrets = InMemorySecretStore()
        let store = S3ObjectStore(from: secrets, bucket: "media", client: client)
        #expect(
            await refusal { try await store.put([1], at: key, contentType: "a/b") }?.code == .notConfigured
        )
        let known = S3Account.constantCredentials
        try secrets.set(Secret("https://s3.example.com"), named: S3Configuration.endpointName)
        try secrets.set(Secret(known.accessKey), named: S3Configuration.accessKeyName)
        try secrets.set(known.secretKey, named: S3Configuration.secretKeyName)
        try await store.put([1], at: key, contentType: "a/b")
        try secrets.set(Secret("wrong"), named: S3Configuration.secretKeyName)
        #expect(await refusal { try await store.remove(key) }?.code == .unauthorized)
        #expect(server.objects(in: "media").count == 1)
    }

    @Test func `temporary keys send their token`() async throws {
        var keys = S3Account.constantCredentials
        keys.sessionToken = Secret("a-session-token")
        let server = S3Server(S3Account(buckets: [S3Account.Bucket("media")], credentials: [keys]))
        let client = TroubledClient(ServerClient(server: server))
        let store = S3ObjectStore(
            S3Configuration(endpoint: "http://127.0.0.1:9000", bucket: "media", credentials: keys),
            client: client
        )
        try await store.put([1], at: key, contentType: "a/b")
        #expect(try await store.get(key, upTo: 1) == [1])
        #expect(
            try await store.signedURL(to: .read, key, lifetime: .seconds(9)).contains(
                "X-Amz-Security-Token=a-session-token"
            )
        )
        client.meet(
            .answer(403, [:], "<Error><Code>ExpiredToken</Code><Message>a-session-token</Message></Error>")
        )
        let error = await refusal { try await store.remove(key) }
        #expect(error?.code == .unauthorized && error?.description.contains("a-session-token") == false)
    }

    @Test(
        arguments: [
            (403, "AccessDenied", .unauthorized), (403, "RequestTimeTooSkewed", .unauthorized),
            (403, "SignatureDoesNotMatch", .unauthorized), (400, "ExpiredToken", .unauthorized),
            (404, "NoSuchBucket", .notFound), (412, "PreconditionFailed", .alreadyExists),
            (400, "EntityTooLarge", .tooLarge), (503, "SlowDown", .slowDown), (429, "", .slowDown),
            (400, "RequestTimeout", .timedOut), (400, "BadDigest", .serverError),
            (409, "ConditionalRequestConflict", .serverError), (500, "InternalError", .serverError),
            (400, "InvalidArgument", .invalidRequest), (502, "", .serverError), (504, "", .timedOut),
            (302, "", .serverError), (413, "", .tooLarge), (401, "", .unauthorized),
        ] as [(Int, String, ObjectStoreError.Code)]
    )
    func `a refusal has its code`(_ status: Int, _ name: String, _ code: ObjectStoreError.Code) async {
        let body =
            name.isEmpty ? "a page" : "<Error><Code>\(name)</Code><Message>In words\r\n</Message></Error>"
        client.meet(.answer(status, [.retryAfter: "7"], body))
        let error = await refusal { try await store().put([1], at: key, contentType: "a/b") }
        #expect(error?.code == code && error?.retryAfter == .seconds(7))
        #expect(error?.detail.hasPrefix("HTTP \(status)") == true)
        #expect(error?.detail.contains(name.isEmpty ? "a page" : "\(name), In words") == true)
    }

    @Test func `a secret key that a server repeats is in no error`() async {
        let secret = S3Account.constantCredentials.secretKey.reveal()
        client.meet(.answer(400, [:], "<Error><Code>X\(secret)</Code><Message>\(secret)</Message></Error>"))
        let error = await refusal { try await store().remove(key) }
        #expect(error?.code == .invalidRequest && error?.description.contains(secret) == false)
    }

    @Test func `answers of somebody in between are no success`() async throws {
        let store = store()
        for _ in 0..<4 { client.meet(.answer(200, [.contentType: "text/plain"], "welcome")) }
        #expect(await refusal { try await store.put([1], at: key, contentType: "a/b") }?.code == .serverError)
        #expect(await refusal { _ = try await store.info(key) }?.code == .serverError)
        #expect(await refusal { try await store.remove(key) }?.code == .serverError)
        #expect(await refusal { _ = try await store.get(key, upTo: 100) }?.code == .serverError)
        #expect(
            await refusal { try await store.put([1], at: key, contentType: "text") }?.code == .invalidRequest
        )
        client.meet(.answer(200, [.contentType: "text/html"], "<html></html>"))
        #expect(await refusal { _ = try await store.get(key, upTo: 100) }?.code == .serverError)
    }

    @Test func `an object may be a page`() async throws {
        let page = Array("<html></html>".utf8)
        try await store().put(page, at: key, contentType: "text/html; charset=utf-8")
        #expect(try await store().get(key, upTo: 100) == page)
        #expect(try await store().info(key)?.contentType == "text/html; charset=utf-8")
    }

    @Test func `an absent object is absent by the word of the service alone`() async throws {
        #expect(try await store().info(key) == nil)
        #expect(client.sent.map(\.method) == [.head, .get])
        // A proxy knows nothing of objects.
        client.meet(.answer(404, [:], ""), .answer(404, [:], "not here"))
        #expect(await refusal { _ = try await store().info(key) }?.code == .notFound)
        let elsewhere = store { $0.bucket = "absent" }
        #expect(await refusal { _ = try await elsewhere.info(key) }?.code == .notFound)
    }

    @Test func `a store is known by where it is`() {
        func identity(_ endpoint: String, _ bucket: String = "media") -> String {
            S3Configuration(endpoint: endpoint, bucket: bucket, credentials: nil).identity
        }
        #expect(identity("HTTPS://S3.example.com:443/") == identity("https://s3.example.com"))
        #expect(identity("https://s3.example.com") != identity("https://s3.example.com", "other"))
        #expect(identity("https://s3.example.com") != identity("https://s3.example.org"))
    }
}
