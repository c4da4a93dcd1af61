import HTTPTypes
import NovaServer
import PeerKit
import S3Server
import Testing
import Transport

/// An app that talks to a service, without a network between them.
struct NovaClient: Sendable {
    /// What a call has come to.
    struct Answer: Sendable {
        let status: Int
        let head: HTTPFields
        let bytes: [UInt8]

        /// The body as JSON, or null.
        var json: JSONValue { (try? JSONValue(json: bytes)) ?? .null }
        /// The word of a refusal.
        var error: String? { json["error"]?.string }
        /// The names of the fields that a refusal complains about.
        var fields: Set<String> { Set(json["fields"]?.object?.keys.map { $0 } ?? []) }

        subscript(name: String) -> JSONValue? { json[name] }

        /// The IDs of the elements of a list.
        func ids(_ name: String) -> [String] { json[name]?.array?.compactMap { $0["id"]?.string } ?? [] }
    }

    let nova: NovaServer
    /// The whole field `Authorization`; none where it is `nil`.
    var authorization: String?

    /// An app that is signed out.
    init(_ nova: NovaServer) { self.nova = nova }

    /// An app with what another one sends as `Authorization`.
    init(_ nova: NovaServer, _ authorization: String?) {
        (self.nova, self.authorization) = (nova, authorization)
    }

    /// An app in which a person of the project is signed in; the first, where no other is named.
    init(signedIn nova: NovaServer, _ index: Int = 0) {
        self.nova = nova
        authorization = "Bearer \(nova.makeTokens(for: nova.project.users[index].id).access)"
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        json: JSONValue? = nil,
        bytes: [UInt8]? = nil,
        type: String? = nil,
        key: String? = nil,
        _ fields: HTTPFields = [:]
    ) async throws -> Answer {
        var request = HTTPRequest(
            method: method,
            scheme: "http",
            authority: "nova:8080",
            path: path,
            headerFields: fields
        )
        if let authorization { request.headerFields[.authorization] = authorization }
        if let key { request.headerFields.set("Idempotency-Key", key) }
        if let type { request.headerFields[.contentType] = type }
        if json != nil, type == nil { request.headerFields[.contentType] = "application/json" }
        let body: HTTPBody = (bytes ?? json?.json).map { .bytes($0) } ?? .empty
        let answer = await nova.respond(to: request, body: body)
        let received = try await answer.body.collect(upTo: 1 << 22)
        return Answer(status: answer.head.status.code, head: answer.head.headerFields, bytes: received)
    }

    func get(_ path: String) async throws -> Answer { try await send(.get, path) }

    func post(_ path: String, _ json: JSONValue? = nil, key: String? = nil) async throws -> Answer {
        try await send(.post, path, json: json, key: key)
    }

    func delete(_ path: String, key: String? = nil) async throws -> Answer {
        try await send(.delete, path, key: key)
    }

    func signIn(_ email: String, _ password: String) async throws -> Answer {
        try await post("/auth/signin", ["email": .string(email), "password": .string(password)])
    }

    func refresh(_ token: String) async throws -> Answer {
        try await post("/auth/refresh", ["refresh_token": .string(token)])
    }

    // MARK: Uploads

    func presign(_ name: String = "photo.jpg", type: String = "image/jpeg") async throws -> Answer {
        try await post("/upload/presign", ["filename": .string(name), "content_type": .string(type)])
    }

    /// Puts bytes to an address of the storage, and returns the status and the body.
    func put(
        _ address: String,
        _ bytes: [UInt8],
        type: String? = "image/jpeg",
        _ fields: HTTPFields = [:]
    ) async throws -> (status: Int, text: String) {
        let base = nova.project.storageURL
        try #require(address.hasPrefix(base + "/"))
        var request = HTTPRequest(
            method: .put,
            scheme: "http",
            authority: String(base.dropFirst("http://".count)),
            path: String(address.dropFirst(base.count)),
            headerFields: fields
        )
        request.headerFields[.contentType] = type
        request.headerFields[.contentLength] = String(bytes.count)
        let answer = await nova.storage.respond(to: request, body: .bytes(bytes))
        let text = try await answer.body.collect(upTo: 1 << 20)
        return (answer.head.status.code, String(decoding: text, as: UTF8.self))
    }

    /// Uploads a picture, and returns its key.
    func upload(_ bytes: [UInt8] = [0xFF, 0xD8, 0xFF]) async throws -> String {
        let answer = try await presign()
        let address = try #require(answer["upload_url"]?.string)
        #expect(try await put(address, bytes).status == 200)
        return try #require(answer["file_key"]?.string)
    }

    func publish(_ imageKey: String, caption: String = "A picture", key: String) async throws -> Answer {
        try await post(
            "/posts",
            ["image_key": .string(imageKey), "caption": .string(caption)],
            key: key
        )
    }
}
