import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: idempotency keys", .simulated(seeds: 1...5, stalls: .none))
struct NovaIdempotencyTests {
    private let nova = NovaServer(.seeded(users: 3, posts: 5))
    private var app: NovaClient { NovaClient(signedIn: nova) }

    @Test("a repetition gets the same bytes, and changes nothing")
    func replay() async throws {
        let key = try await app.upload()
        let first = try await app.publish(key, key: "0b9e")
        try await Task.sleep(for: .seconds(100))
        let second = try await app.publish(key, key: "0b9e")
        #expect(first.status == 201 && second.status == 201 && first.bytes == second.bytes)
        #expect(first.head.value("Idempotent-Replayed") == nil)
        #expect(second.head.value("Idempotent-Replayed") == "true")
        #expect(nova.posts.count == 6)
        #expect(nova.log.contains(.replayed(path: "/posts", key: "0b9e")))
        // A structured field has quotes, and is the same key.
        #expect(try await app.publish(key, key: "\"0b9e\"").bytes == first.bytes)
    }

    @Test("a late repetition of a like changes nothing after the like was taken back")
    func late() async throws {
        let post = nova.posts[0].id
        let before = nova.posts[0].likerIDs.subtracting([nova.project.users[0].id])
        nova.unlike(post, by: nova.project.users[0].id)
        #expect(try await app.post("/posts/\(post)/like", key: "k1").status == 200)
        #expect(try await app.delete("/posts/\(post)/like", key: "k2").status == 200)
        #expect(try await app.post("/posts/\(post)/like", key: "k1").status == 200)
        #expect(nova.post(post)?.likerIDs == before)
    }

    @Test("a key is forgotten a day after its answer, not before")
    func window() async throws {
        let post = nova.posts[0].id
        func comment() async throws -> JSONValue? {
            try await app.post("/posts/\(post)/comments", ["text": "x"], key: "k")["id"]
        }
        let first = try await comment()
        try await Task.sleep(for: .seconds(86_399))
        #expect(try await comment() == first)
        try await Task.sleep(for: .seconds(1))
        #expect(try await comment() != first)
    }

    @Test("the same key with other bytes is refused, even where they mean the same")
    func otherBody() async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 201)
        for text in [#"{"text":"y"}"#, #"{"text": "x"}"#] {
            let answer = try await app.send(
                .post,
                path,
                bytes: Array(text.utf8),
                type: "application/json",
                key: "k"
            )
            #expect(answer.status == 422 && answer.error == "idempotency_key_reused")
        }
    }

    @Test("a key is one person's, at one method and path")
    func scope() async throws {
        let (first, second) = (nova.posts[0].id, nova.posts[1].id)
        let other = NovaClient(signedIn: nova, 1)
        for client in [app, other] {
            for post in [first, second] {
                nova.unlike(post, by: nova.project.users[0].id)
                nova.unlike(post, by: nova.project.users[1].id)
                let answer = try await client.post("/posts/\(post)/like", key: "k")
                #expect(answer.status == 200 && answer.head.value("Idempotent-Replayed") == nil)
                #expect(
                    try await client.delete("/posts/\(post)/like", key: "k").head.value("Idempotent-Replayed")
                        == nil
                )
            }
        }
        // The same sign-in does not matter, and neither does a query.
        let again = try await NovaClient(signedIn: nova).post("/posts/\(first)/like?x=1", key: "k")
        #expect(again.head.value("Idempotent-Replayed") == "true")
    }

    @Test("a refusal and a failure leave the key free")
    func notStored() async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        #expect(try await app.post(path, ["text": ""], key: "k").status == 400)
        #expect(try await app.post("/posts/none/comments", ["text": "x"], key: "k").status == 404)
        try nova.faults.arm("nova.500", atMost: 1)
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 500)
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 201)
    }

    @Test("while the first is in progress, others are told to come back in a second")
    func inProgress() async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        try nova.faults.arm("nova.slow", values: ["seconds": 5], atMost: 1)
        async let first = app.post(path, ["text": "x"], key: "k")
        try await Task.sleep(for: .seconds(1))
        let second = try await app.post(path, ["text": "x"], key: "k")
        #expect(second.status == 409 && second.error == "idempotency_in_progress")
        #expect(second.head[.retryAfter] == "1")
        #expect(try await app.post(path, ["text": "y"], key: "k").status == 422)
        #expect(try await app.post(path, ["text": "y"], key: "l").status == 201)
        let made = try await first
        #expect(made.status == 201)
        let third = try await app.post(path, ["text": "x"], key: "k")
        #expect(third.status == 201 && third.bytes == made.bytes)
        #expect(nova.post(nova.posts[0].id)?.comments.filter { $0 == "x" }.count == 1)
    }

    @Test("a mark of a call that broke off ends with its lease")
    func lease() async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        try nova.faults.arm("nova.callBroken", atMost: 1)
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 500)
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 409)
        try await Task.sleep(for: .seconds(59))
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 409)
        try await Task.sleep(for: .seconds(1))
        #expect(try await app.post(path, ["text": "x"], key: "k").status == 201)
    }

    @Test("calls that need a key are refused without one, and with what is none")
    func missing() async throws {
        let post = nova.posts[0].id
        for path in ["/posts", "/posts/\(post)/like", "/posts/\(post)/comments"] {
            for key in [nil, "", "\"\"", "a b", "ä", String(repeating: "k", count: 256), "\""] {
                let answer = try await app.post(path, ["text": "x"], key: key)
                #expect(
                    answer.status == 400 && answer.fields == ["Idempotency-Key"],
                    "\(path) \(key ?? "none")"
                )
            }
        }
        #expect(
            try await app.post("/posts/\(post)/like", key: String(repeating: "k", count: 255)).status == 200
        )
        #expect(try await app.delete("/posts/\(post)/like").status == 200)
        #expect(try await app.delete("/posts/\(post)/like", key: "a b").status == 400)
    }

    @Test("removals and profiles may have a key; their repetition is answered as the first time")
    func optional() async throws {
        let post = nova.publish(by: nova.project.users[0].id)
        #expect(try await app.delete("/posts/\(post)", key: "k").status == 204)
        let again = try await app.delete("/posts/\(post)", key: "k")
        #expect(again.status == 204 && again.head.value("Idempotent-Replayed") == "true")
        #expect(try await app.delete("/posts/\(post)").status == 404)
    }
}
