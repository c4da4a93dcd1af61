import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: hostile requests", .simulated(seeds: 1...3, stalls: .none))
struct NovaHostileTests {
    private let nova = NovaServer(.seeded(users: 2, posts: 3))
    private var app: NovaClient { NovaClient(signedIn: nova) }

    @Test("a path that has no such method says which it has")
    func methods() async throws {
        let post = nova.posts[0].id
        for (method, path, allowed) in [
            (HTTPRequest.Method.get, "/auth/signin", "POST"), (.put, "/feed", "GET, HEAD"),
            (.put, "/posts", "POST"), (.patch, "/posts/\(post)", "GET, HEAD, DELETE"),
            (.get, "/posts/\(post)/like", "POST, DELETE"), (.options, "/notifications", "GET, HEAD"),
            (.delete, "/upload/presign", "POST"), (.trace, "/search/users", "GET, HEAD"),
            (.post, "/users/x", "GET, HEAD, PATCH, DELETE"), (.get, "/analytics/events", "POST"),
            (.post, "/openapi.json", "GET, HEAD"),
        ] {
            let answer = try await app.send(method, path)
            #expect(answer.status == 405 && answer.error == "method_not_allowed", "\(method) \(path)")
            #expect(answer.head[.allow] == allowed)
        }
        for path in [
            "/", "", "/posts/", "/posts//like", "/feed/", "/Feed", "/posts/%ff", "/posts/a/b/c", "//feed",
        ] {
            let answer = try await app.get(path)
            #expect(answer.status == 404 && answer.error == "not_found", "\(path)")
        }
    }

    @Test(
        "bodies that are no JSON object are refused, and change nothing",
        arguments: [
            "", "{", "[]", "null", "5", "\"x\"", "{\"text\":\"x\"} {}", "{'text':'x'}",
            "\u{FEFF}{\"text\":\"x\"}",
            String(repeating: "[", count: 500), "{\"text\":\"\u{1}\"}", "{\"text\":NaN}",
        ]
    )
    func bodies(_ text: String) async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        let before = nova.posts
        for target in [
            path, "/auth/signin", "/auth/signup", "/auth/apple", "/auth/refresh", "/upload/presign",
        ] {
            let answer = try await app.send(
                .post,
                target,
                bytes: Array(text.utf8),
                type: "application/json",
                key: "k"
            )
            #expect(answer.status == 400 && answer.fields == ["body"], "\(target) \(answer.json)")
        }
        #expect(nova.posts == before)
    }

    @Test(
        "fields of other types are named, all of them",
        arguments: [1, true, [], [:], .real(1.5)] as [JSONValue]
    )
    func types(_ value: JSONValue) async throws {
        let app = app
        #expect(
            try await app.post("/auth/signin", ["email": value, "password": value]).fields == [
                "email", "password",
            ]
        )
        let signUp: JSONValue = ["email": value, "password": value, "username": value]
        #expect(try await app.post("/auth/signup", signUp).fields == ["email", "password", "username"])
        let apple: JSONValue = ["identity_token": value, "user": value, "nonce": value, "full_name": value]
        #expect(
            try await app.post("/auth/apple", apple).fields == [
                "identity_token", "user", "nonce", "full_name",
            ]
        )
        #expect(try await app.post("/auth/refresh", ["refresh_token": value]).fields == ["refresh_token"])
        let publish: JSONValue = ["image_key": value, "caption": value]
        #expect(try await app.post("/posts", publish, key: "k").fields == ["image_key", "caption"])
        let path = "/posts/\(nova.posts[0].id)/comments"
        #expect(try await app.post(path, ["text": value], key: "k").fields == ["text"])
    }

    @Test(
        "a body that says it is something else is refused",
        arguments: ["text/plain", "x", "application/jsonx"]
    )
    func mediaTypes(_ type: String) async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        let answer = try await app.send(
            .post,
            path,
            bytes: Array(#"{"text":"x"}"#.utf8),
            type: type,
            key: "k"
        )
        #expect(answer.status == 415 && answer.error == "unsupported_media_type")
        let none = try await app.send(.post, path, bytes: Array(#"{"text":"x"}"#.utf8), key: "k")
        #expect(none.status == 415)
        let like = "/posts/\(nova.posts[0].id)/like"
        #expect(
            try await app.send(.post, like, bytes: [0x5B, 0x5D], type: "application/json", key: "l").status
                == 400
        )
        #expect(try await app.send(.post, like, type: "application/json", key: "l").status == 200)
        let utf8 = "Application/JSON; charset=utf-8"
        #expect(
            try await app.send(.post, path, bytes: Array(#"{"text":"x"}"#.utf8), type: utf8, key: "k").status
                == 201
        )
    }

    @Test("bodies of more bytes than a call has are refused")
    func long() async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        let bytes = Array(#"{"text":"x"}"#.utf8) + [UInt8](repeating: 32, count: 65_536)
        let answer = try await app.send(.post, path, bytes: bytes, type: "application/json", key: "k")
        #expect(answer.status == 413 && answer.error == "payload_too_large")
        let fits = Array(bytes.prefix(65_536))
        #expect(
            try await app.send(.post, path, bytes: fits, type: "application/json", key: "k").status == 201
        )
    }

    @Test("fields that the API does not know are left out, and IDs are any text")
    func unknown() async throws {
        let path = "/posts/\(nova.posts[0].id)/comments"
        let body: JSONValue = ["text": "x", "more": [1, 2, ["a": .null]]]
        #expect(try await app.post(path, body, key: "k").status == 201)
        for id in [
            "%00", "%2e%2e", "..", "a%2Fb", String(repeating: "x", count: 4000), "%F0%9F%8C%8A",
            "'%20OR%201=1",
        ] {
            #expect(try await app.get("/posts/\(id)").status == 404, "\(id)")
            #expect(try await app.get("/users/\(id)").status == 404, "\(id)")
            #expect(try await app.get("/avatars/\(id)/1").status == 404, "\(id)")
        }
    }

    @Test("the API is described, and its description knows every call")
    func description() async throws {
        let answer = try await NovaClient(nova).get("/openapi.json")
        #expect(answer.status == 200 && answer["openapi"] == "3.1.0")
        let calls = (answer["paths"]?.object ?? [:]).flatMap { path, item in
            (item.object ?? [:]).keys.filter { $0 != "parameters" }.map { "\($0) \(path)" }
        }
        #expect(
            Set(calls) == [
                "post /auth/signin", "post /auth/signup", "post /auth/apple", "post /auth/refresh",
                "post /auth/signout", "get /feed", "post /posts", "get /posts/{id}", "delete /posts/{id}",
                "post /posts/{id}/like", "delete /posts/{id}/like", "get /posts/{id}/comments",
                "post /posts/{id}/comments", "post /upload/presign", "get /search/users", "get /users/{id}",
                "patch /users/{id}", "delete /users/{id}", "get /notifications", "post /analytics/events",
            ]
        )
    }
}
