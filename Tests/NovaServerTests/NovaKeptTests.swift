import Files
import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import S3Server
import ScenarioKit
import SimulatedDisk
import Simulation
import SimulationTesting
import Testing

/// A service that is ended and started again on the disk of its machine.
private struct KeptNova {
    let disk: SimulatedDisk
    private let storage: S3Server
    private let project: NovaProject

    init(_ change: (inout NovaProject) -> Void = { _ in }) throws {
        disk = SimulatedDisk(node: try #require(Simulation.current).node("server"))
        disk.conditions = .losingUnsyncedWrites
        disk.conditions[.lostEntry] = 0.7
        var project = NovaProject.seeded(users: 3, posts: 4)
        project.rates = .none
        change(&project)
        self.project = project
        storage = S3Server(NovaServer.storageAccount(of: project))
    }

    func start() throws(FileFailure) -> NovaServer {
        try NovaServer(
            project,
            storage: storage,
            folder: FileFolder(path: "nova", on: SimulatedFiles(disk: disk))
        )
    }

    /// The power goes, with what is not on the disk, and comes back.
    func cutPower() {
        disk.keepPower()
        disk.powerOff()
        disk.node.restart()
    }
}

@Suite("The simulated Nova: state in a folder", .simulated(seeds: 1...3))
struct NovaKeptTests {
    /// All that a person sees.
    private func view(_ app: NovaClient, of posts: [String], _ people: [String]) async throws -> [String:
        [UInt8]]
    {
        var view: [String: [UInt8]] = [:]
        let paths =
            ["/feed?limit=50", "/notifications", "/search/users?q=a"] + people.map { "/users/\($0)" }
            + posts.flatMap { ["/posts/\($0)", "/posts/\($0)/comments"] }
        for path in paths { view[path] = try await app.get(path).bytes }
        return view
    }

    @Test("after a power cut a service shows each person what it has shown before, byte for byte")
    func everything() async throws {
        let kept = try KeptNova()
        let first = try kept.start()
        let (ada, bob) = (NovaClient(signedIn: first), NovaClient(signedIn: first, 1))
        let people = first.project.users.map(\.id)
        let older = first.posts.map(\.id)
        let made = try await ada.publish(try await ada.upload(), caption: "Grüße", key: "post")
        let post = try #require(made["id"]?.string)
        for id in older + [post] {
            _ = try await bob.post("/posts/\(id)/like", key: UUID().uuidString)
            _ = try await bob.post("/posts/\(id)/comments", ["text": "„Oh“"], key: UUID().uuidString)
        }
        _ = try await bob.delete("/posts/\(post)/like")
        first.follow(people[0], by: people[2])
        first.notify(people[0], type: "wave", by: people[1])
        let head = "--x\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"a.jpg\"\r\n\r\n"
        let form = Array(head.utf8) + [0xFF, 0xD8, 0xFF, 7] + Array("\r\n--x--\r\n".utf8)
        let type = "multipart/form-data; boundary=x"
        #expect(try await ada.send(.patch, "/users/\(people[0])", bytes: form, type: type).status == 200)
        let gone = try #require(try await bob.publish(try await bob.upload(), key: "gone")["id"]?.string)
        #expect(try await bob.delete("/posts/\(gone)").status == 204)
        let joined = try await ada.post(
            "/auth/signup",
            ["username": "newcomer", "email": "n@nova.example", "password": "long enough"]
        )
        #expect(joined.status == 201)
        let event = Self.event("one")
        #expect(try await ada.post("/analytics/events", [event]).json == ["accepted": 1])
        let views = try await [view(ada, of: older + [post], people), view(bob, of: older + [post], people)]

        kept.cutPower()
        let second = try kept.start()
        let again = [NovaClient(second, ada.authorization), NovaClient(second, bob.authorization)]
        #expect(
            try await [
                view(again[0], of: older + [post], people), view(again[1], of: older + [post], people),
            ] == views
        )
        #expect(second.account(people[0])?.avatar == [0xFF, 0xD8, 0xFF, 7])
        #expect(try await again[0].signIn("n@nova.example", "long enough").status == 200)
        #expect(try await again[0].post("/analytics/events", [event]).json == ["accepted": 0])
        #expect(second.analytics == first.analytics)
        // And it goes on, with names that nothing has had.
        let next = try await again[0].post("/posts/\(post)/comments", ["text": "new"], key: "k")
        let known = try await again[0].get("/posts/\(post)/comments").ids("comments")
        #expect(next.status == 201 && Set(known).count == 2)
    }

    @Test(
        "the answer to a key is known after a power cut, for as long as its window says, and another body is refused"
    )
    func keys() async throws {
        let kept = try KeptNova { $0.tokenLifetime = 1_000_000 }
        let first = try kept.start()
        let app = NovaClient(signedIn: first)
        let post = first.posts[0].id
        let made = try await app.post("/posts/\(post)/comments", ["text": "once"], key: "k")
        try await Task.sleep(for: .seconds(3600))
        kept.cutPower()
        let second = try kept.start()
        let later = NovaClient(second, app.authorization)
        let again = try await later.post("/posts/\(post)/comments", ["text": "once"], key: "k")
        #expect(
            again.bytes == made.bytes && again.status == 201
                && again.head.value("Idempotent-Replayed") == "true"
        )
        #expect(try await later.post("/posts/\(post)/comments", ["text": "other"], key: "k").status == 422)
        #expect(second.post(post)?.comments.count { $0 == "once" } == 1)
        try await Task.sleep(for: .seconds(86_400 - 3600 - 1))
        #expect(
            try await later.post("/posts/\(post)/comments", ["text": "once"], key: "k").bytes == made.bytes
        )
        try await Task.sleep(for: .seconds(2))
        #expect(
            try await later.post("/posts/\(post)/comments", ["text": "once"], key: "k").bytes != made.bytes
        )
    }

    @Test("after a power cut refresh tokens go on, one that was used ends its sign-in, and so does time")
    func signIns() async throws {
        let kept = try KeptNova { ($0.refreshLifetime, $0.tokenLifetime) = (10_000, 100_000) }
        let first = try kept.start()
        let person = first.project.users[0]
        func signIn() async throws -> String {
            try #require(
                try await NovaClient(first).signIn(person.email, person.password)["refresh_token"]?.string
            )
        }
        let live = NovaClient(signedIn: first)
        let (used, late, ended) = (try await signIn(), try await signIn(), NovaClient(signedIn: first))
        let fresh = try #require(try await NovaClient(first).refresh(used)["refresh_token"]?.string)
        #expect(try await ended.post("/auth/signout").status == 204)
        try await Task.sleep(for: .seconds(6_000))
        kept.cutPower()
        let second = try kept.start()
        #expect(try await NovaClient(second, live.authorization).get("/feed").status == 200)
        #expect(try await NovaClient(second, ended.authorization).get("/feed").status == 401)
        let next = try await NovaClient(second).refresh(fresh)
        #expect(next.status == 200)
        #expect(try await NovaClient(second).refresh(used).status == 401, "it was used before the cut")
        let token = try #require(next["refresh_token"]?.string)
        #expect(try await NovaClient(second).refresh(token).status == 401, "and has ended the sign-in")
        try await Task.sleep(for: .seconds(4_001))
        #expect(try await NovaClient(second).refresh(late).status == 401, "time goes on while nobody runs")
    }

    @Test("where the disk fails nothing is acknowledged, and what was tried is there once it works again")
    func failingDisk() async throws {
        let kept = try KeptNova()
        let nova = try kept.start()
        let app = NovaClient(signedIn: nova)
        _ = try await app.get("/feed")
        let post = nova.posts[0].id
        kept.disk.conditions[.syncError] = 1
        for _ in 0..<3 {
            let refused = try await app.post("/posts/\(post)/comments", ["text": "once"], key: "k")
            #expect(refused.status == 500 && refused.error == "internal_error")
        }
        kept.disk.conditions[.syncError] = 0
        #expect(try await app.post("/posts/\(post)/comments", ["text": "once"], key: "k").status == 201)
        kept.cutPower()
        let second = try kept.start()
        #expect(second.post(post)?.comments.count { $0 == "once" } == 1)
    }

    fileprivate static func event(_ id: String) -> JSONValue {
        [
            "event_id": .string(id), "name": "app_open", "category": "lifecycle", "parameters": [:],
            "timestamp": "2026-01-05T12:00:00Z", "device_id": "d", "platform": "p", "app_version": "1",
        ]
    }
}

/// The power is cut at each change of the disk in turn.
@Suite("The simulated Nova: power cuts", .timeLimit(.minutes(5)))
struct NovaPowerCutTests {
    /// A check that does not hold.
    private struct Broken: Error {
        var what: String
        var isLoss = false
    }

    /// Changes of the disk that all of the work takes at most.
    private static let moments: ClosedRange<UInt64> = 1...60

    /// Comments with one key each, until the power is cut; then the service is started again, and what was not acknowledged is repeated.
    ///
    /// - Returns: Whether the power was cut in the middle of the work.
    private static func cut(at moment: UInt64, ignoringSyncs: Bool = false) throws -> Bool {
        try Simulation(seed: moment).run {
            let kept = try KeptNova()
            if ignoringSyncs { kept.disk.conditions[.ignoredSync] = 1 }
            let texts = (0..<12).map { "comment-\($0)" }
            var acknowledged: [String: [UInt8]] = [:]
            kept.disk.powerOff(atChange: moment)
            let first = try? kept.start()
            if let first {
                let app = NovaClient(signedIn: first)
                let post = first.project.posts[0].id
                for text in texts {
                    let answer = try await app.post(
                        "/posts/\(post)/comments",
                        ["text": .string(text)],
                        key: text
                    )
                    guard answer.status == 201 else { break }
                    acknowledged[text] = answer.bytes
                }
            }
            let wasCut = acknowledged.count < texts.count
            kept.cutPower()
            let second = try kept.start()
            let app = NovaClient(signedIn: second)
            let post = second.project.posts[0].id
            for (text, bytes) in acknowledged {
                guard second.post(post)?.comments.contains(text) == true else {
                    throw Broken(what: "\(text) is lost", isLoss: true)
                }
                let again = try await app.post("/posts/\(post)/comments", ["text": .string(text)], key: text)
                guard again.bytes == bytes else { throw Broken(what: "the key of \(text) is forgotten") }
            }
            for text in texts where acknowledged[text] == nil {
                let answer = try await app.post("/posts/\(post)/comments", ["text": .string(text)], key: text)
                guard answer.status == 201 else { throw Broken(what: "\(moment): \(answer.json)") }
            }
            let comments = (second.post(post)?.comments ?? []).filter { $0.hasPrefix("comment-") }
            guard comments.sorted() == texts.sorted() else { throw Broken(what: "\(comments)") }
            return wasCut
        }
    }

    @Test(
        "after a power cut at any moment everything that was acknowledged is there, and what is repeated has one effect"
    )
    func everyMoment() throws {
        let cuts = try Self.moments.filter { try Self.cut(at: $0) }
        #expect(cuts.count > 25, "the power is cut in the middle of the work")
        #expect(!cuts.contains(Self.moments.upperBound), "there are moments behind the last change")
    }

    @Test("with a disk that ignores syncs, acknowledged changes are lost")
    func ignoredSyncs() {
        let lost = Self.moments.filter { moment in
            do {
                _ = try Self.cut(at: moment, ignoringSyncs: true)
                return false
            } catch { return (error as? Broken)?.isLoss == true }
        }
        #expect(lost.count > 10, "the check notices what a disk forgets")
    }
}
