import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova on a network", .simulated(seeds: 1...5))
struct NovaNetworkTests {
    @Test("an app signs in with Apple, uploads to the storage and publishes, each at its own host")
    func visit() async throws {
        let nova = NovaServer(.seeded(users: 2, posts: 3))
        let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(10))))
        let phone = network.host("phone")
        _ = try await network.host("nova").listen(nova, at: SocketAddress(host: "nova", port: 8080))
        _ = try await network.host("s3").listen(nova.storage, at: SocketAddress(host: "s3", port: 9000))
        _ = try await network.host("apple").listen(nova.apple, at: SocketAddress(host: "apple", port: 80))
        func call(
            _ method: HTTPRequest.Method,
            _ url: String,
            _ body: HTTPBody = .empty,
            type: String? = "application/json",
            token: String? = nil,
            key: String? = nil
        ) async throws -> (status: Int, json: JSONValue, date: String?) {
            var request = HTTPRequest(method: method, url: try #require(URL(string: url)))
            request.headerFields[.contentType] = type
            if let token { request.headerFields[.authorization] = "Bearer \(token)" }
            if let key { request.headerFields.set("Idempotency-Key", key) }
            let answer = try await phone.send(request, body: body, timeout: .seconds(30))
            let bytes = try await answer.body.collect(upTo: 1 << 20)
            let date = answer.head.headerFields[.date]
            return (answer.head.status.code, (try? JSONValue(json: bytes)) ?? .null, date)
        }
        let identity = try await call(.post, "http://apple/simulator/token", .text(#"{"sub":"ada"}"#))
        let fields: JSONValue = ["identity_token": identity.json["identity_token"] ?? .null, "user": "ada"]
        let session = try await call(.post, "http://nova:8080/auth/apple", .bytes(fields.json))
        let token = try #require(session.json["access_token"]?.string)
        #expect(session.status == 200 && session.date != nil)
        let wish: JSONValue = ["filename": "photo.jpg", "content_type": "image/jpeg"]
        let presigned = try await call(
            .post,
            "http://nova:8080/upload/presign",
            .bytes(wish.json),
            token: token
        )
        let address = try #require(presigned.json["upload_url"]?.string)
        #expect(try await call(.put, address, .bytes([0xFF, 0xD8]), type: "image/jpeg").status == 200)
        let post: JSONValue = ["image_key": presigned.json["file_key"] ?? .null, "caption": "x"]
        try nova.faults.arm("nova.answerCut", atMost: 1)
        await #expect(throws: TransportError.self) {
            try await call(.post, "http://nova:8080/posts", .bytes(post.json), token: token, key: "k")
        }
        let made = try await call(.post, "http://nova:8080/posts", .bytes(post.json), token: token, key: "k")
        #expect(made.status == 201 && nova.posts.count == 4)
        #expect(try await call(.get, #require(made.json["image_url"]?.string), type: nil).status == 200)
        #expect(nova.requestCount == 4)
    }

    @Test("two that publish and like at once leave one of each")
    func together() async throws {
        let nova = NovaServer(.seeded(users: 2, posts: 1))
        let app = NovaClient(signedIn: nova)
        let (key, post) = (try await app.upload(), nova.posts[0].id)
        nova.unlike(post, by: nova.project.users[0].id)
        try nova.faults.arm("nova.slow", probability: 0.5, values: ["seconds": 0.2])
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    try await Task.sleep(for: .milliseconds(.random(in: 0...300)))
                    return try await app.publish(key, key: "k").status
                }
                group.addTask { try await app.post("/posts/\(post)/like", key: UUID().uuidString).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(nova.posts.count == 2 && Set(statuses).isSubset(of: [200, 201, 409]))
        #expect(nova.log.count { if case .liked = $0 { true } else { false } } == 1)
    }
}
