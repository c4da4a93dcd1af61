import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

@Suite("The simulated Nova: faults", .simulated(seeds: 1...3, stalls: .none))
struct NovaFaultTests {
    private let nova = NovaServer(.seeded(users: 3, posts: 45))
    private var app: NovaClient { NovaClient(signedIn: nova) }
    private var comments: String { "/posts/\(nova.project.posts[0].id)/comments" }

    private func commentCount() -> Int { nova.post(nova.project.posts[0].id)?.comments.count ?? 0 }

    @Test("each fault point strikes where it is armed, and nowhere else")
    func names() throws {
        let own = NovaServer.faultPoints.map(\.name).filter { $0.hasPrefix("nova.") }
        #expect(own.count == 23 && Set(own).count == own.count)
        #expect(AppleIssuer.faultPoints.map(\.name).contains("apple.rotated"))
        #expect(throws: FaultNotArmed.self) { try nova.faults.arm("nova.nothing") }
    }

    @Test("a call fails inside, with a request ID, and nothing is changed", arguments: [500, 503])
    func failure(_ status: Int) async throws {
        let before = commentCount()
        try nova.faults.arm("nova.500", values: ["status": Double(status)], atMost: 1)
        let answer = try await app.post(comments, ["text": "x"], key: "k")
        #expect(answer.status == status && answer.error == "internal_error")
        #expect(answer["request_id"]?.string == answer.head.value("X-Request-Id"))
        #expect(commentCount() == before)
        #expect(nova.log.last == .refused(path: comments, status: status, error: "internal_error"))
    }

    @Test("too many calls are refused with one hint or another", arguments: 0...5)
    func tooMany(_ hint: Int) async throws {
        let before = commentCount()
        try nova.faults.arm("nova.429", values: ["retryAfter": 7, "hint": Double(hint)], atMost: 1)
        let answer = try await app.post(comments, ["text": "x"], key: "k")
        #expect(answer.status == 429 && commentCount() == before)
        #expect(answer["retry_after"] == (hint == 2 ? nil : 7))
        let wait = try? Date(
            answer.head[.retryAfter] ?? "",
            strategy: Date.ParseStrategy(
                format:
                    "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
                locale: Locale(identifier: "en_US_POSIX"),
                timeZone: .gmt
            )
        ).timeIntervalSinceNow
        switch hint {
        case 0: #expect(answer.head[.retryAfter] == "7")
        case 1, 2: #expect(answer.head[.retryAfter] == nil)
        case 3: #expect(try (6...7).contains(#require(wait).rounded(.up)))
        case 4: #expect(answer.head[.retryAfter] == "soon")
        default: #expect(try #require(wait) < -86_000)
        }
        #expect(try await app.post(comments, ["text": "x"], key: "k").status == 201)
    }

    @Test("a captive portal answers with a page, before or after the effect", arguments: [0, 1])
    func html(_ effect: Int) async throws {
        let before = commentCount()
        try nova.faults.arm("nova.html", values: ["effect": Double(effect)], atMost: 1)
        let answer = try await app.post(comments, ["text": "x"], key: "k")
        #expect(answer.status == 200 && answer.head[.contentType] == "text/html" && answer.json == .null)
        #expect(commentCount() == before + effect)
        let again = try await app.post(comments, ["text": "x"], key: "k")
        #expect(again.status == 201 && commentCount() == before + 1)
    }

    @Test("a token ends before its time, for good; a refresh gives one that is taken")
    func early() async throws {
        let tokens = nova.makeTokens(for: nova.project.users[0].id)
        var app = NovaClient(nova)
        app.authorization = "Bearer \(tokens.access)"
        try nova.faults.arm("nova.401Early", skipping: 1, atMost: 1)
        #expect(try await app.get("/feed").status == 200)
        #expect(try await app.get("/feed").status == 401)
        #expect(try await app.get("/feed").error == "unauthorized")
        let next = try await app.refresh(tokens.refresh)["access_token"]?.string
        app.authorization = "Bearer \(next ?? "")"
        #expect(try await app.get("/feed").status == 200)
    }

    @Test("a refusal of a token may have an empty body")
    func emptyRefusal() async throws {
        let app = app
        try nova.faults.arm("nova.401Empty", atMost: 1)
        let answer = try await app.get("/feed")
        #expect(answer.status == 401 && answer.bytes.isEmpty)
        #expect(try await app.get("/feed").status == 200)
    }

    @Test("a call is refused as in progress, and done the next time")
    func inProgress() async throws {
        let before = commentCount()
        try nova.faults.arm("nova.409InProgress", atMost: 1)
        #expect(try await app.get("/feed").status == 200)
        let answer = try await app.post(comments, ["text": "x"], key: "k")
        #expect(answer.status == 409 && answer.error == "idempotency_in_progress" && commentCount() == before)
        #expect(try await app.post(comments, ["text": "x"], key: "k").status == 201)
    }

    @Test("a call breaks off, and its key stays in progress")
    func broken() async throws {
        let before = commentCount()
        try nova.faults.arm("nova.callBroken", atMost: 1)
        #expect(try await app.post(comments, ["text": "x"], key: "k").status == 500)
        #expect(try await app.post(comments, ["text": "x"], key: "k").error == "idempotency_in_progress")
        #expect(commentCount() == before)
    }

    @Test("keys are forgotten, and a repetition is a second comment")
    func forgotten() async throws {
        let before = commentCount()
        #expect(try await app.post(comments, ["text": "x"], key: "k").status == 201)
        try nova.faults.arm("nova.keysForgotten", atMost: 1)
        #expect(try await app.post(comments, ["text": "x"], key: "k").status == 201)
        #expect(commentCount() == before + 2)
    }

    @Test("the service works for a while before a call takes effect")
    func slow() async throws {
        let before = commentCount()
        try nova.faults.arm("nova.slow", values: ["seconds": 3], atMost: 1)
        let start = try #require(Simulation.current).now
        async let answer = app.post(comments, ["text": "x"], key: "k")
        try await Task.sleep(for: .seconds(2.9))
        #expect(commentCount() == before)
        #expect(try await answer.status == 201)
        #expect(try #require(Simulation.current).now - start == .seconds(3))
    }

    @Test("a client that goes away does not stop what it has asked for")
    func abandoned() async throws {
        let before = commentCount()
        try nova.faults.arm("nova.slow", values: ["seconds": 3], atMost: 1)
        let (app, path) = (app, comments)
        let call = Task { try await app.post(path, ["text": "x"], key: "k") }
        try await Task.sleep(for: .seconds(1))
        call.cancel()
        try await Task.sleep(for: .seconds(1.9))
        #expect(commentCount() == before)
        try await Task.sleep(for: .seconds(0.2))
        #expect(commentCount() == before + 1)
        #expect(try await app.post(path, ["text": "x"], key: "k").head.value("Idempotent-Replayed") == "true")
    }

    @Test("an answer that is lost has taken effect, and its repetition gets it")
    func lost() async throws {
        let before = commentCount()
        try nova.faults.arm("nova.answerLost", values: ["silence": 20], atMost: 1)
        #expect(try await app.get("/feed").status == 200)
        let start = try #require(Simulation.current).now
        let answer = try await app.post(comments, ["text": "x"], key: "k")
        #expect(answer.status == 504 && answer.json == .null && commentCount() == before + 1)
        #expect(try #require(Simulation.current).now - start == .seconds(20))
        let again = try await app.post(comments, ["text": "x"], key: "k")
        #expect(again.status == 201 && commentCount() == before + 1)
    }

    @Test("an answer that is cut has taken effect, and breaks inside")
    func cut() async throws {
        let before = commentCount()
        try nova.faults.arm("nova.answerCut", atMost: 1)
        await #expect(throws: TransportError.self) { try await app.post(comments, ["text": "x"], key: "k") }
        #expect(commentCount() == before + 1)
    }

    @Test("an answer is JSON of another form")
    func malformed() async throws {
        try nova.faults.arm("nova.malformed", atMost: 1)
        #expect(try await app.get("/feed").json == ["result": []])
        #expect(try await app.get("/feed")["posts"] != nil)
    }

    @Test("the answer to a refresh is lost after the token was exchanged")
    func refreshLost() async throws {
        let token = nova.makeTokens(for: nova.project.users[0].id).refresh
        try nova.faults.arm("nova.refresh.lost", values: ["silence": 3], atMost: 1)
        #expect(try await app.get("/feed").status == 200)
        #expect(try await app.refresh(token).status == 504)
        #expect(nova.log.contains(.refreshed(userID: nova.project.users[0].id)))
        #expect(try await app.refresh(token).status == 401)
    }

    @Test("a refresh fails for now, and the token stays good")
    func refreshFails() async throws {
        let token = nova.makeTokens(for: nova.project.users[0].id).refresh
        try nova.faults.arm("nova.refresh.503", atMost: 1)
        #expect(try await app.refresh(token).status == 503)
        #expect(try await app.refresh(token).status == 200)
    }

    @Test("a token is short, and may have ended when it is given")
    func shortToken() async throws {
        try nova.faults.arm("nova.token.short", values: ["seconds": 0], atMost: 1)
        #expect(try await app.get("/feed").status == 401)
        #expect(try await app.get("/feed").status == 200)
    }

    @Test("an address for an upload is refused, or short")
    func presign() async throws {
        let app = app
        try nova.faults.arm("nova.presign.500", atMost: 1)
        #expect(try await app.presign().status == 500)
        try nova.faults.arm("nova.presignShort", values: ["seconds": 2], atMost: 1)
        let address = try await app.presign()["upload_url"]?.string ?? ""
        #expect(try await app.put(address, [1]).status == 200)
        try await Task.sleep(for: .seconds(2))
        #expect(try await app.put(address, [1]).status == 403)
        let next = try await app.presign()["upload_url"]?.string ?? ""
        try await Task.sleep(for: .seconds(2))
        #expect(try await app.put(next, [1]).status == 200)
    }

    @Test("single calls fail without an effect")
    func single() async throws {
        let app = app
        let key = try await app.upload()
        try nova.faults.arm("nova.publish.500", atMost: 1)
        #expect(try await app.publish(key, key: "k").status == 500 && nova.posts.count == 45)
        #expect(try await app.publish(key, key: "k").status == 201)
        let post = nova.publish(by: nova.project.users[1].id)
        try nova.faults.arm("nova.like.500", atMost: 1)
        #expect(try await app.post("/posts/\(post)/like", key: "l").status == 500)
        #expect(nova.post(post)?.likerIDs.isEmpty == true)
        #expect(try await app.post("/posts/\(post)/like", key: "l").status == 200)
        try nova.faults.arm("nova.like.500", atMost: 1)
        #expect(try await app.delete("/posts/\(post)/like").status == 500)
        #expect(nova.post(post)?.likerIDs.isEmpty == false)
        try nova.faults.arm("nova.analytics.400", atMost: 1)
        #expect(try await app.post("/analytics/events", []).fields == ["events[0].name"])
        #expect(try await app.post("/analytics/events", []).status == 200)
    }

    @Test("the feed grows or shrinks between its pages")
    func feed() async throws {
        let app = app
        try nova.faults.arm("nova.feed.grows", values: ["count": 4], atMost: 1)
        let first = try await app.get("/feed").ids("posts")
        let second = try await app.get("/feed?page=1").ids("posts")
        #expect(Array(second.prefix(4)) == Array(first.suffix(4)) && nova.posts.count == 49)
        try nova.faults.arm("nova.feed.shrinks", values: ["count": 6], atMost: 1)
        let third = try await app.get("/feed?page=2").ids("posts")
        #expect(nova.posts.count == 43 && third.count == 3)
        #expect(Set(nova.posts.map(\.authorID)).contains(nova.project.users[0].id))
    }

    @Test("a post is gone just before a call about it")
    func gone() async throws {
        let app = app
        let post = nova.posts[3].id
        try nova.faults.arm("nova.post.gone", atMost: 1)
        let answer = try await app.post("/posts/\(post)/like", key: "k")
        #expect(answer.status == 404 && answer.error == "not_found" && nova.post(post) == nil)
        #expect(try await app.get("/posts/\(nova.posts[3].id)").status == 200)
    }

    @Test("faults of all services keep a request from Nova", arguments: [429, 502, 503])
    func way(_ status: Int) async throws {
        try nova.faults.arm("http.\(status)", atMost: 1)
        #expect(try await app.get("/feed").status == status)
        #expect(nova.log.isEmpty && nova.requestCount == 1)
    }
}
