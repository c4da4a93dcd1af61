import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import S3Server
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: posts, likes and comments", .simulated(seeds: 1...3, stalls: .none))
struct NovaPostTests {
    private let nova = NovaServer(.seeded(users: 3, posts: 5))
    private var ada: String { nova.project.users[0].id }

    @Test("a picture is uploaded to its address, and published once it is there")
    func publish() async throws {
        let app = NovaClient(signedIn: nova)
        let presigned = try await app.presign("../../a b/Fo\u{F6}.JPG")
        let key = try #require(presigned["file_key"]?.string)
        #expect(key.wholeMatch(of: /uploads\/user_[0-9a-f]{16}\/[0-9a-f]{16}\/Fo--\.JPG/) != nil, "\(key)")
        let early = try await app.publish(key, key: "k0")
        #expect(early.status == 400 && early.fields == ["image_key"])
        let address = try #require(presigned["upload_url"]?.string)
        #expect(try await app.put(address, [0xFF, 0xD8, 1, 2]).status == 200)
        let answer = try await app.publish(key, caption: "Ünder", key: "k1")
        #expect(answer.status == 201 && answer["image_url"] == .string("http://s3:9000/nova/\(key)"))
        let id = try #require(answer["id"]?.string)
        #expect(try await app.get("/feed").ids("posts").first == id)
        let post = try await app.get("/posts/\(id)")
        #expect(post["caption"] == "Ünder" && post["created_at"] == answer["created_at"])
        #expect(
            nova.post(id)?.imageKey == key
                && nova.storage.object(key, in: "nova")?.bytes == [0xFF, 0xD8, 1, 2]
        )
    }

    @Test("an image key must be one that was given to the same person")
    func imageKeys() async throws {
        let (app, other) = (NovaClient(signedIn: nova), NovaClient(signedIn: nova, 1))
        let key = try await other.upload()
        let stolen = try await app.publish(key, key: "a")
        #expect(stolen.status == 403 && stolen.error == "forbidden")
        for wrong in ["uploads/\(ada)/0/x.jpg", "x", "../nova", ""] {
            #expect(try await app.publish(wrong, key: "b").fields == ["image_key"])
        }
        #expect(try await other.publish(key, key: "a").status == 201)
        let number = try await app.post("/posts", ["image_key": 5, "caption": 6], key: "c")
        #expect(number.fields == ["image_key", "caption"])
        let own = try await app.upload()
        #expect(
            try await app.publish(own, caption: String(repeating: "x", count: 2201), key: "d").fields == [
                "caption"
            ]
        )
        #expect(try await app.post("/posts", ["image_key": .string(own)], key: "e").status == 201)
        #expect(nova.posts.first?.caption == nil)
    }

    @Test("what an upload may be is limited, and named in the refusal")
    func presignFields() async throws {
        let app = NovaClient(signedIn: nova)
        #expect(try await app.presign(type: "text/html").fields == ["content_type"])
        #expect(try await app.presign("").fields == ["filename"])
        #expect(try await app.post("/upload/presign", [:]).fields == ["filename", "content_type"])
        for name in ["..", "/", "\\", ".", "---", "\u{0}"] {
            let key = try await app.presign(name)["file_key"]?.string ?? ""
            #expect(key.hasSuffix("/file"), "\(key)")
        }
    }

    @Test("the eleventh post in an hour waits")
    func rate() async throws {
        let app = NovaClient(signedIn: nova)
        let key = try await app.upload()
        for number in 0..<10 { #expect(try await app.publish(key, key: "k\(number)").status == 201) }
        let eleventh = try await app.publish(key, key: "k10")
        #expect(eleventh.status == 429 && eleventh["retry_after"] == 3600)
        // A repetition is no further post.
        #expect(try await app.publish(key, key: "k9").status == 201)
        try await Task.sleep(for: .seconds(3600))
        #expect(try await NovaClient(signedIn: nova).publish(key, key: "k10").status == 201)
        #expect(nova.posts.count == 16)
    }

    @Test("one removes one's own posts, and nobody else's")
    func remove() async throws {
        let (app, other) = (NovaClient(signedIn: nova), NovaClient(signedIn: nova, 1))
        let post = nova.publish(by: ada)
        let refused = try await other.delete("/posts/\(post)")
        #expect(refused.status == 403 && refused.error == "forbidden" && nova.post(post) != nil)
        let answer = try await app.delete("/posts/\(post)")
        #expect(answer.status == 204 && answer.bytes.isEmpty && nova.post(post) == nil)
        #expect(try await app.delete("/posts/\(post)").status == 404)
        #expect(try await app.get("/posts/\(post)").status == 404)
        #expect(try await app.post("/posts/\(post)/like", key: "k").status == 404)
        #expect(try await app.post("/posts/\(post)/comments", ["text": "x"], key: "l").status == 404)
    }

    @Test("likes are a set, whatever the keys")
    func likes() async throws {
        let app = NovaClient(signedIn: nova)
        let post = nova.publish(by: nova.project.users[1].id)
        for key in ["a", "b"] {
            let answer = try await app.post("/posts/\(post)/like", key: key)
            #expect(answer.status == 200 && answer.json == [:])
        }
        #expect(nova.post(post)?.likerIDs == [ada])
        #expect(nova.log.filter { $0 == .liked(postID: post, userID: ada) }.count == 1)
        #expect(try await app.get("/posts/\(post)")["like_count"] == 1)
        for key in [nil, "c"] {
            let answer = try await app.delete("/posts/\(post)/like", key: key)
            #expect(answer.status == 200 && answer.json == [:])
        }
        #expect(nova.post(post)?.likerIDs.isEmpty == true)
        #expect(try await app.post("/posts/\(post)/like", [:], key: "d").status == 200)
        #expect(nova.account(nova.project.users[1].id)?.notificationTypes.first == "like")
    }

    @Test("a comment is there for everybody, under an ID of the service")
    func comment() async throws {
        let app = NovaClient(signedIn: nova)
        let post = nova.publish(by: nova.project.users[1].id)
        let answer = try await app.post("/posts/\(post)/comments", ["text": "Schön 🌄"], key: "k")
        #expect(answer.status == 201)
        let list = try await NovaClient(signedIn: nova, 2).get("/posts/\(post)/comments")
        #expect(list["comments"]?.array?.first?["id"] == answer["id"])
        #expect(list["comments"]?.array?.first?["text"] == "Schön 🌄")
        for text in ["", "  \n", String(repeating: "x", count: 1001)] {
            #expect(
                try await app.post("/posts/\(post)/comments", ["text": .string(text)], key: "l").fields == [
                    "text"
                ]
            )
        }
        #expect(nova.post(post)?.comments == ["Schön 🌄"])
        #expect(nova.account(nova.project.users[1].id)?.notificationTypes.first == "comment")
    }

    @Test("an account that is removed takes all with it, and all tokens end")
    func removeAccount() async throws {
        let (app, other) = (NovaClient(signedIn: nova, 1), NovaClient(signedIn: nova, 2))
        let gone = nova.project.users[1].id
        let (own, foreign) = (nova.publish(by: gone), nova.publish(by: ada))
        nova.like(foreign, by: gone)
        nova.comment(foreign, by: gone, text: "x")
        let refresh = nova.makeTokens(for: gone).refresh
        #expect(try await other.delete("/users/\(gone)").status == 403)
        #expect(try await app.delete("/users/\(gone)").status == 204)
        #expect(try await app.get("/feed").status == 401 && nova.account(gone) == nil)
        #expect(try await app.refresh(refresh).status == 401)
        #expect(nova.post(own) == nil && nova.post(foreign)?.likerIDs.isEmpty == true)
        #expect(nova.post(foreign)?.comments.isEmpty == true)
        #expect(try await other.get("/users/\(gone)").status == 404)
        #expect(try await other.get("/notifications").status == 200)
        #expect(
            try await app.signIn(nova.project.users[1].email, nova.project.users[1].password).status == 401
        )
    }
}
