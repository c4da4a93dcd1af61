import Foundation
import HTTPTypes
import JPEG
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: reading", .simulated(seeds: 1...3, stalls: .none))
struct NovaReadingTests {
    private let nova = NovaServer()

    @Test(
        "a page of the feed has each post as the post itself is answered, for each viewer, also after it and its author have changed"
    )
    func pageAndPost() async throws {
        let nova = NovaServer(.seeded(users: 3, posts: 8))
        let (ada, bob) = (NovaClient(signedIn: nova), NovaClient(signedIn: nova, 1))
        func agree() async throws {
            for app in [ada, bob] {
                for post in try await app.get("/feed?limit=50")["posts"]?.array ?? [] {
                    #expect(try await app.get("/posts/\(post["id"]?.string ?? "")").json == post)
                }
            }
        }
        try await agree()
        for post in nova.posts {
            _ = try await bob.post("/posts/\(post.id)/like", key: "l")
            _ = try await ada.post("/posts/\(post.id)/comments", ["text": "seen"], key: "c")
        }
        try await agree()
        let form = Array(
            "--x\r\nContent-Disposition: form-data; name=\"display_name\"\r\n\r\nAda \"L\"\r\n--x--\r\n".utf8
        )
        let person = nova.project.users[0].id
        let answer = try await ada.send(
            .patch,
            "/users/\(person)",
            bytes: form,
            type: "multipart/form-data; boundary=x"
        )
        #expect(answer.status == 200)
        try await agree()
        nova.setStorageURL("http://elsewhere:1")
        nova.removePost(nova.posts[2].id)
        try await agree()
        #expect(try await ada.get("/feed").ids("posts") == nova.posts.map(\.id))
    }

    @Test("the feed has pages, newest first, and says whether more comes")
    func feed() async throws {
        let app = NovaClient(signedIn: nova)
        let all = nova.posts.map(\.id)
        #expect(all.count == 45)
        let pages = try await [
            app.get("/feed"), app.get("/feed?page=1&limit=20"), app.get("/feed?page=2&limit=20"),
        ]
        #expect(pages.flatMap { $0.ids("posts") } == all)
        #expect(pages.map { $0["has_more"] } == [true, true, false])
        let times = pages.flatMap { $0["posts"]?.array ?? [] }.compactMap { $0["created_at"]?.string }
        #expect(times.count == 45 && times == times.sorted(by: >))
        #expect(times.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil })
        // Exactly full, past the end, far past it, and more than the most.
        let full = try await app.get("/feed?page=0&limit=45")
        #expect(full.ids("posts").count == 45 && full["has_more"] == false)
        for page in ["3", "9000000000000000000", "99999999999999999999999"] {
            let past = try await app.get("/feed?page=\(page)&limit=20")
            #expect(past.status == 200 && past["posts"] == [] && past["has_more"] == false)
        }
        #expect(try await app.get("/feed?limit=51").ids("posts").count == 45)
    }

    @Test("no limit gives more than 50")
    func limit() async throws {
        let app = NovaClient(signedIn: NovaServer(.seeded(posts: 60)))
        for limit in ["51", "1000", "99999999999999999999"] {
            let answer = try await app.get("/feed?limit=\(limit)")
            #expect(answer.ids("posts").count == 50 && answer["has_more"] == true)
        }
    }

    @Test(
        "a page or a limit that is none is refused with its name",
        arguments: [
            ("page=-1", "page"), ("page=x", "page"), ("page=", "page"), ("page=1.0", "page"),
            ("limit=0", "limit"),
            ("limit=-5", "limit"), ("limit=ten", "limit"), ("limit=%D9%A3", "limit"), ("page=+1", "page"),
        ]
    )
    func nonsense(_ query: String, _ field: String) async throws {
        let app = NovaClient(signedIn: nova)
        let user = nova.project.users[0].id
        let post = nova.posts[0].id
        for path in ["/feed", "/notifications", "/posts/\(post)/comments", "/search/users"] {
            let answer = try await app.get("\(path)?\(query)&q=a")
            #expect(answer.status == 400 && answer.error == "validation_error" && answer.fields == [field])
        }
        #expect(try await app.get("/users/\(user)?\(query)").status == 200)
    }

    @Test("pages move while others publish and remove")
    func moving() async throws {
        let app = NovaClient(signedIn: nova)
        let first = try await app.get("/feed").ids("posts")
        for number in 0..<3 { nova.publish(by: nova.project.users[1].id, caption: "\(number)") }
        let second = try await app.get("/feed?page=1").ids("posts")
        #expect(Array(second.prefix(3)) == Array(first.suffix(3)))
        for post in nova.posts.prefix(5) { nova.removePost(post.id) }
        let third = try await app.get("/feed?page=1").ids("posts")
        #expect(!third.contains(first[20 - 1]) && Set(third).isDisjoint(with: first))
    }

    @Test("a post is as the feed has it, for its viewer, without anybody's address")
    func post() async throws {
        let app = NovaClient(signedIn: nova)
        let post = try #require(nova.posts.first { $0.imageKey == nil })
        nova.like(post.id, by: nova.project.users[0].id)
        let answer = try await app.get("/posts/\(post.id)")
        #expect(answer.status == 200 && answer["is_liked"] == true)
        #expect(answer["like_count"]?.integer == nova.post(post.id)?.likerIDs.count)
        #expect(answer["comment_count"]?.integer == post.comments.count)
        #expect(answer["author"]?["id"]?.string == post.authorID)
        #expect(!String(decoding: answer.bytes, as: UTF8.self).contains("@"))
        #expect(
            try await NovaClient(signedIn: nova, 1).get("/posts/\(post.id)")["is_liked"]
                == .bool(post.likerIDs.contains(nova.project.users[1].id))
        )
        let missing = try await app.get("/posts/nothing")
        #expect(missing.status == 404 && missing.error == "not_found")
    }

    @Test("pictures of posts and people are JPEG files that anybody may read")
    func pictures() async throws {
        let app = NovaClient(signedIn: nova)
        let posts = try await app.get("/feed")["posts"]?.array ?? []
        let picture = posts.compactMap { $0["image_url"]?.string }.first
        let portrait = posts.compactMap { $0["author"]?["avatar_url"]?.string }.first
        let (address, avatar) = (try #require(picture), try #require(portrait))
        for address in [address, avatar] {
            try #require(address.hasPrefix("http://nova:8080/pictures/"))
            let path = String(address.dropFirst("http://nova:8080".count))
            let file = try await NovaClient(nova).get(path)
            #expect(file.status == 200 && file.head[.contentType] == "image/jpeg")
            #expect(file.bytes.starts(with: [0xFF, 0xD8]) && file.bytes.suffix(2) == [0xFF, 0xD9])
            #expect(try await NovaClient(nova).get(path).bytes == file.bytes)
            let head = try await NovaClient(nova).send(.head, path)
            #expect(head.bytes.isEmpty && head.head[.contentLength] == "\(file.bytes.count)")
        }
        #expect(try await NovaClient(nova).get("/pictures/nothing.jpg").status == 404)
    }

    @Test("comments come newest first, in pages")
    func comments() async throws {
        let app = NovaClient(signedIn: nova)
        let post = nova.publish(by: nova.project.users[1].id)
        for number in 0..<25 { nova.comment(post, by: nova.project.users[2].id, text: "number \(number)") }
        let first = try await app.get("/posts/\(post)/comments?page=0&limit=20")
        #expect(first["comments"]?.array?.first?["text"] == "number 24" && first["has_more"] == true)
        #expect(first["comments"]?.array?.first?["post_id"] == .string(post))
        let second = try await app.get("/posts/\(post)/comments?page=1&limit=20")
        #expect(second.ids("comments").count == 5 && second["has_more"] == false)
        #expect(try await app.get("/posts/nothing/comments").status == 404)
    }

    @Test("people are found by parts of their names, whatever the letter case")
    func search() async throws {
        let app = NovaClient(signedIn: nova)
        let answer = try await app.get("/search/users?q=%20GRA%20&page=0&limit=20")
        #expect(answer["users"]?.array?.map { $0["username"] } == ["grace"] && answer["has_more"] == false)
        #expect(try await app.get("/search/users?q=zzz")["users"] == [])
        for query in ["", "?q=", "?q=%20%20"] {
            #expect(try await app.get("/search/users\(query)").fields == ["q"])
        }
        let page = try await app.get("/search/users?q=a&page=0&limit=1")
        #expect(page.ids("users").count == 1 && page["has_more"] == true)
    }

    @Test("a profile has counts and the newest posts")
    func profile() async throws {
        let busy = NovaServer(.seeded(users: 1, posts: 45))
        let user = try #require(busy.project.users.first)
        let answer = try await NovaClient(signedIn: busy).get("/users/\(user.id)")
        #expect(answer["username"] == "ada" && answer["posts_count"] == 45 && answer["has_more"] == true)
        #expect(answer.ids("posts") == busy.posts.prefix(20).map(\.id))
        #expect(try await NovaClient(signedIn: busy).get("/users/nobody").status == 404)
    }

    @Test("notifications tell of what others have done, once for each like")
    func notifications() async throws {
        let nova = NovaServer(.seeded(users: 3, posts: 0))
        let (ada, other) = (nova.project.users[0].id, nova.project.users[1].id)
        let app = NovaClient(signedIn: nova)
        let before = try await app.get("/notifications").ids("notifications").count
        let post = nova.publish(by: ada)
        nova.like(post, by: other)
        nova.unlike(post, by: other)
        nova.like(post, by: other)
        nova.like(post, by: ada)
        let comment = nova.comment(post, by: other, text: "Hm.")
        nova.notify(ada, type: "poke", by: other)
        let answer = try await app.get("/notifications?page=0&limit=20")
        let news = try #require(answer["notifications"]?.array).dropLast(before)
        #expect(news.map { $0["type"] } == ["poke", "comment", "like"])
        #expect(news.map { $0["actor"]?["id"] } == [.string(other), .string(other), .string(other)])
        #expect(news.map { $0["post_id"] } == [.null, .string(post), .string(post)])
        #expect(Array(news)[1]["comment_id"] == .optional(comment))
        nova.follow(ada, by: nova.project.users[2].id)
        nova.follow(ada, by: nova.project.users[2].id)
        let later = try await app.get("/notifications?page=0&limit=1")
        let isNew = nova.project.follows.allSatisfy {
            ($0.followerID, $0.userID) != (nova.project.users[2].id, ada)
        }
        #expect((later["notifications"]?.array?.first?["type"] == "follow") == isNew)
    }
}

@Suite("The simulated Nova: seeded content")
struct NovaContentTests {
    @Test(
        "content of a seed is the same each time, of another seed another one, and of the size that is asked for"
    )
    func seeded() {
        let (first, again) = (
            NovaProject.seeded(users: 30, posts: 100), NovaProject.seeded(users: 30, posts: 100)
        )
        #expect(first.users == again.users && first.posts == again.posts && first.follows == again.follows)
        #expect(first.users.count == 30 && first.posts.count == 100)
        #expect(NovaProject.seeded(users: 30, posts: 100, seed: 2).posts != first.posts)
        #expect(first.users[0].email == "ada@nova.example" && first.users[0].password == "nova-password-1")
        for names in [
            first.users.map(\.id), first.users.map(\.username), first.users.map(\.email),
            first.posts.map(\.id),
        ] {
            #expect(Set(names).count == names.count)
        }
        // What clients have to bear: no caption and no picture, and IDs whose order says nothing.
        #expect(first.posts.contains { $0.caption == nil } && first.posts.contains { !$0.hasPicture })
        #expect(first.posts.map(\.id) != first.posts.map(\.id).sorted())
        #expect(first.posts.map(\.id) != first.posts.map(\.id).sorted(by: >))
    }

    @Test("a large service is there at once")
    func large() {
        let nova = NovaServer(.seeded(users: 300, posts: 1000))
        #expect(nova.posts.count == 1000 && nova.log.isEmpty)
    }
}
