internal import Foundation
internal import HTTPTypes
internal import ServiceClient
internal import Services
internal import Transport

/// The one way to Nova.
///
/// Calls carry a token, which is renewed once however many calls wait for it; one that is refused with 401 is sent a second time with another token, and
/// not a third time. What a person waits for is tried three times; what the queue sends is tried once, and the queue repeats it.
struct APIClient: Sendable {
    /// How many of a list are asked for at once.
    static let pageSize = 20

    private let http: any HTTPClient
    private let address: @Sendable () -> ServiceAddress?
    private let tokens: BearerTokens
    /// Whose tokens calls carry; `nil` for whoever is signed in.
    private var holder: String?

    init(
        _ http: any HTTPClient,
        tokens: BearerTokens,
        address: @escaping @Sendable () -> ServiceAddress?
    ) {
        (self.http, self.tokens, self.address) = (http, tokens, address)
    }

    /// A client that carries these tokens, or none.
    static func client(
        _ http: any HTTPClient,
        _ policy: CallPolicy,
        tokens: BearerTokens? = nil,
        address: @escaping @Sendable () -> ServiceAddress?
    ) -> ServiceClient {
        let wait = { @Sendable (body: [UInt8]) in
            // What no clock can wait for is no time to wait.
            RefusalBody(body).retryAfter.flatMap { (0...1e9).contains($0) ? Duration.seconds($0) : nil }
        }
        return ServiceClient(http, policy: policy, tokens: tokens, wait: wait, address: address)
    }

    private func client(_ policy: CallPolicy) -> ServiceClient {
        Self.client(http, policy, tokens: tokens, address: address)
    }

    /// The same way for one person: calls that outlast their session never carry the token of the next one.
    func tied(to userID: String) -> APIClient {
        var tied = self
        tied.holder = userID
        return tied
    }

    private func tied(_ call: Call) -> Call {
        var call = call
        call.holder = holder
        return call
    }

    // MARK: Reading

    /// A page of the feed, and the document that it is read from; pages count from 0.
    func feed(page: Int) async throws -> (page: Page<Post>, document: [UInt8]) {
        try await reading { () throws(ServiceFailure) in
            let answer = try await client(.nova).answer(to: tied(call(for: "/feed", page)))
            return (try answer.document(), answer.body)
        }
    }

    /// A post.
    func post(_ id: String) async throws -> Post { try await read(.get("/posts/\(segment(id))")) }

    /// A page of a post's comments, the newest first.
    func comments(of postID: String, page: Int) async throws -> Page<Comment> {
        try await self.page("/posts/\(segment(postID))/comments", page)
    }

    /// A page of the people that a text finds.
    func users(matching query: String, page: Int) async throws -> Page<User> {
        try await self.page("/search/users", page, query: [("q", query)])
    }

    /// A person and their newest posts.
    func profile(of userID: String) async throws -> Profile {
        try await read(.get("/users/\(segment(userID))"))
    }

    /// A page of notifications, the newest first.
    func notifications(page: Int) async throws -> Page<NovaNotification> {
        try await self.page("/notifications", page)
    }

    private func page<Item>(
        _ path: String,
        _ page: Int,
        query: [(name: String, value: String)] = []
    ) async throws -> Page<Item> {
        try await read(call(for: path, page, query: query))
    }

    private func call(for path: String, _ page: Int, query: [(name: String, value: String)] = []) -> Call {
        .get(path, query: query + [("page", "\(page)"), ("limit", "\(Self.pageSize)")])
    }

    private func read<Answer: Decodable>(_ call: Call) async throws -> Answer {
        try await reading { () throws(ServiceFailure) in try await client(.nova).send(tied(call)) }
    }

    private func reading<Answer>(_ read: () async throws(ServiceFailure) -> Answer) async throws -> Answer {
        do throws(ServiceFailure) { return try await read() } catch {
            throw error.code == .cancelled ? CancellationError() : NovaError(error)
        }
    }

    // MARK: Changes

    /// Changes the profile; the answer is all of it.
    func update(_ userID: String, with form: MultipartForm, key: String) async throws -> User {
        var call = Call(
            .patch,
            "/users/\(segment(userID))",
            body: .bytes(form.bytes),
            contentType: form.contentType,
            repeats: .always
        )
        call.set("Idempotency-Key", key)
        return try await read(call)
    }

    /// Asks for a place for a picture; it ends by this device's clock when it ends by Nova's.
    func presign(_ policy: CallPolicy = .nova) async throws(ServiceFailure) -> Presigned {
        var call = try Call.post("/upload/presign", ["filename": "photo.jpg", "content_type": "image/jpeg"])
        call.repeats = .always
        let whole = try await client(policy).answer(to: tied(call))
        guard let answer = try? JSONDecoder().decode(PresignAnswer.self, from: Data(whole.body)) else {
            throw ServiceFailure(.malformed, operation: "read a place for a picture", peer: "")
        }
        let served = whole.head.headerFields[.date].flatMap { HTTPDate.seconds($0) }
        let now = served.map { Date(timeIntervalSince1970: Double($0)) } ?? Date()
        return Presigned(
            uploadURL: answer.uploadURL,
            fileKey: answer.fileKey,
            ends: Date() + answer.expiresAt.timeIntervalSince(now)
        )
    }

    /// Puts a picture into its place, at the storage and not at Nova: without a token, and with the type that was asked for.
    func put(_ picture: [UInt8], to place: Presigned) async throws(ServiceFailure) {
        let (origin, path) = Self.split(place.uploadURL)
        guard let origin = ServiceAddress(origin) else {
            throw ServiceFailure(.malformed, operation: "PUT a picture", peer: "", detail: "no address")
        }
        var call = Call(.put, path, body: .bytes(picture), contentType: "image/jpeg", repeats: .always)
        call.isAuthorized = false
        _ = try await Self.client(http, .upload) { origin }.answer(to: call)
    }

    /// An address in two parts, of which the second stays as it is: it is signed.
    private static func split(_ address: String) -> (origin: String, path: String) {
        let start = address.range(of: "://")?.upperBound ?? address.startIndex
        let slash = address[start...].firstIndex(of: "/") ?? address.endIndex
        return (String(address[..<slash]), String(address[slash...]))
    }

    /// Makes a change that is known by a key; sent once.
    func change<Answer: Decodable>(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: [UInt8]?,
        key: String,
        as type: Answer.Type = Answer.self
    ) async throws(ServiceFailure) -> Answer {
        var call = Call(method, path, body: body.map { .bytes($0) } ?? .empty, repeats: .always)
        call.set("Idempotency-Key", key)
        let whole = try await client(.queued).answer(to: tied(call))
        // What says nothing, such as 204, says that it is done.
        let bytes = whole.body.isEmpty ? Array("{}".utf8) : whole.body
        do { return try JSONDecoder().decode(type, from: Data(bytes)) } catch {
            var failure = ServiceFailure(
                .malformed,
                operation: "\(method.rawValue) \(path)",
                peer: "",
                detail: "the answer has another form",
                status: whole.head.status.code
            )
            failure.body = bytes
            throw failure
        }
    }

    /// Sends a batch of events, which need no token.
    func send(events batch: [UInt8], key: String) async throws(ServiceFailure) {
        var call = Call(.post, "/analytics/events", body: .bytes(batch), repeats: .always)
        call.isAuthorized = false
        call.set("Idempotency-Key", key)
        _ = try await client(.nova).answer(to: call)
    }

    /// A name as one segment of a path.
    func segment(_ id: String) -> String {
        id.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
