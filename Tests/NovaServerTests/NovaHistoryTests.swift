import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import Simulation
import SimulationTesting
import Testing
import Transport

/// Two people with two apps each do what they like at once, on a service that fails in many ways; each wish is repeated under its key until it is done.
@Suite("The simulated Nova: random histories", .simulated(seeds: 1...20))
struct NovaHistoryTests {
    private static let faults = [
        "nova.500", "nova.429", "nova.html", "nova.answerLost", "nova.answerCut", "nova.409InProgress",
        "nova.callBroken", "nova.slow", "nova.malformed", "nova.401Early", "http.503",
    ]

    private let nova: NovaServer

    init() throws {
        var project = NovaProject.seeded(users: 3, posts: 4)
        project.rates = .none
        project.grace = 60
        nova = NovaServer(project)
        for name in Self.faults {
            let values: [String: Double] =
                name == "nova.html" ? ["effect": Double(Int.random(in: 0...1))] : [:]
            try nova.faults.arm(name, probability: 0.06, values: values)
        }
    }

    /// One app of a person: it repeats a call until it is done, with the same key and bytes, and signs in again as it must.
    private func done(_ person: Int, _ call: (NovaClient, String) async throws -> NovaClient.Answer)
        async throws -> Int
    {
        let key = UUID().uuidString
        var app = NovaClient(signedIn: nova, person)
        for _ in 0..<60 {
            // A broken answer, or one that is not the API's, says nothing.
            if let answer = try? await call(app, key) {
                let isOwn = answer.json != .null && answer.json != ["result": []]
                switch answer.status {
                case 200 where isOwn, 201 where isOwn, 204, 404: return answer.status
                case 401: app = NovaClient(signedIn: nova, person)
                case 422: Issue.record("the same bytes under a key are refused as others")
                case 400, 403, 415: Issue.record("\(answer.json)")
                default: break
                }
            }
            try await Task.sleep(for: .seconds(Double.random(in: 0...20)))
        }
        Issue.record("a wish was not done in 60 tries")
        return 0
    }

    @Test("each wish has one effect, whatever went wrong on the way")
    func history() async throws {
        let posts = nova.posts.map(\.id)
        let before = nova.posts.reduce(0) { $0 + $1.comments.count }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for app in 0..<4 {
                group.addTask {
                    for number in 0..<5 {
                        let post = posts[Int.random(in: 0..<posts.count)]
                        let status = try await done(app % 2) { client, key in
                            try await client.post(
                                "/posts/\(post)/comments",
                                ["text": .string("\(app) \(number)")],
                                key: key
                            )
                        }
                        #expect(status == 201)
                    }
                }
                // Each app has a post of its own to like, so that the last wish is known.
                group.addTask {
                    for isLiked in [true, false, true, app.isMultiple(of: 2)] {
                        let status = try await done(app % 2) { client, key in
                            let path = "/posts/\(posts[app])/like"
                            return isLiked
                                ? try await client.post(path, key: key)
                                : try await client.delete(path, key: key)
                        }
                        #expect(status == 200)
                    }
                }
            }
            try await group.waitForAll()
        }
        nova.faults.disarm()
        let written = nova.posts.flatMap(\.comments).filter { $0.wholeMatch(of: /\d \d/) != nil }
        #expect(written.count == 20 && Set(written).count == 20)
        #expect(nova.posts.reduce(0) { $0 + $1.comments.count } == before + 20)
        for app in 0..<4 {
            let person = nova.project.users[app % 2].id
            #expect(nova.post(posts[app])?.likerIDs.contains(person) == app.isMultiple(of: 2))
        }
        // What the lists say is what is there.
        let page = try await NovaClient(signedIn: nova).get("/feed")
        for post in try #require(page["posts"]?.array) {
            let known = try #require(nova.post(post["id"]?.string ?? ""))
            #expect(post["like_count"] == .integer(known.likerIDs.count))
            #expect(post["comment_count"] == .integer(known.comments.count))
        }
    }

    @Test("an exchange of tokens that is lost is repeated within the grace, and nobody is signed out")
    func refreshing() async throws {
        let user = nova.project.users[0].id
        var tokens = nova.makeTokens(for: user)
        for _ in 0..<10 {
            var isDone = false
            for _ in 0..<20 where !isDone {
                if let answer = try? await NovaClient(nova).refresh(tokens.refresh), answer.status == 200,
                    let access = answer["access_token"]?.string, let refresh = answer["refresh_token"]?.string
                {
                    tokens = (access, refresh)
                    isDone = true
                } else {
                    try await Task.sleep(for: .seconds(1))
                }
            }
            #expect(isDone)
        }
        #expect(!nova.log.contains(.reuseRefused(userID: user)))
    }
}
