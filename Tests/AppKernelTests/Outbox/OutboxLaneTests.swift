import AppKernel
import Concurrency
import Foundation
import GRDB
import Testing

@Suite("Outbox: lanes")
struct OutboxLaneTests {
    private let database: AppDatabase
    private let now = Date(timeIntervalSince1970: 1_000_000)

    init() throws { database = try AppDatabase(path: ":memory:") }

    private func open(
        concurrency: Int = 10,
        exhaustion: OutboxPolicy.Exhaustion = .waits(atMost: nil),
        retries: Int = 1
    ) throws -> Outbox<Wish> {
        try Outbox(
            database: database,
            name: "test",
            policy: OutboxPolicy(
                retries: RetryPolicy(retries: retries, first: .seconds(1), longest: .seconds(1), jitter: 0),
                exhaustion: exhaustion,
                concurrency: concurrency
            )
        )
    }

    private func add(_ names: [String], lane: String?, to outbox: Outbox<Wish>) throws {
        for name in names { try outbox.add(Wish(text: name, lane: lane), identity: name) }
    }

    private func claims(_ outbox: Outbox<Wish>, after seconds: Double = 0) throws -> [OutboxClaim<Wish>] {
        var claims: [OutboxClaim<Wish>] = []
        while let claim = try outbox.claim(now: now + seconds) { claims.append(claim) }
        return claims
    }

    private func finish(_ claim: OutboxClaim<Wish>, in outbox: Outbox<Wish>) throws {
        #expect(try outbox.finish(claim, receipt: Data("\"done\"".utf8), now: now) { _ in })
    }

    private func names(_ claims: [OutboxClaim<Wish>]) -> [String] { claims.map(\.entry.identity) }

    @Test func `of each lane the oldest entry alone is taken, and of lanes as many as may be at a time`()
        throws
    {
        let outbox = try open(concurrency: 2)
        try add(["a1", "a2"], lane: "a", to: outbox)
        try add(["b1"], lane: "b", to: outbox)
        try add(["c1"], lane: nil, to: outbox)
        let first = try claims(outbox)
        #expect(names(first) == ["a1", "b1"])
        try finish(first[1], in: outbox)
        #expect(try names(claims(outbox)) == ["c1"])
        try finish(first[0], in: outbox)
        #expect(try names(claims(outbox)) == ["a2"])
    }

    @Test func `an entry that waits for its repetition keeps its lane waiting, and no other`() throws {
        let outbox = try open()
        try add(["like", "unlike"], lane: "post", to: outbox)
        try add(["other"], lane: nil, to: outbox)
        let like = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(like, .words("503"), isTransient: true, now: now))
        #expect(try names(claims(outbox)) == ["other"])
        let again = try claims(outbox, after: 1)
        #expect(names(again) == ["like"])
        try finish(again[0], in: outbox)
        #expect(try names(claims(outbox, after: 1)) == ["unlike"])
    }

    @Test func `an entry that has failed for good lets its lane go on`() throws {
        let outbox = try open()
        try add(["like", "unlike"], lane: "post", to: outbox)
        let like = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(like, .words("404"), isTransient: false, now: now))
        #expect(try names(claims(outbox)) == ["unlike"])
    }

    @Test
    func `what is tried again on request waits for what its lane does meanwhile, and comes first after it`()
        throws
    {
        let outbox = try open()
        try add(["one", "two", "three"], lane: "post", to: outbox)
        let one = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(one, .words("403"), isTransient: false, now: now))
        let two = try #require(try outbox.claim(now: now))
        #expect(try outbox.retry("one"))
        #expect(try claims(outbox).isEmpty)
        try finish(two, in: outbox)
        let back = try claims(outbox)
        #expect(names(back) == ["one"])
        try finish(back[0], in: outbox)
        #expect(try names(claims(outbox)) == ["three"])
    }

    @Test func `what is tried again on request comes before what waits`() throws {
        let outbox = try open()
        try add(["one", "two"], lane: "post", to: outbox)
        let one = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(one, .words("403"), isTransient: false, now: now))
        #expect(try outbox.retry("one"))
        let first = try claims(outbox)
        #expect(names(first) == ["one"])
        try finish(first[0], in: outbox)
        #expect(try names(claims(outbox)) == ["two"])
    }

    @Test(arguments: [true, false])
    func `work whose repetitions are used up keeps its lane waiting or has failed, as the policy says`(
        waits: Bool
    ) throws {
        let outbox = try open(exhaustion: waits ? .waits(atMost: .seconds(60)) : .fails, retries: 0)
        try add(["one", "two"], lane: "post", to: outbox)
        let one = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(one, .words("503"), isTransient: true, now: now))
        guard waits else {
            #expect(try names(claims(outbox)) == ["two"])
            return
        }
        #expect(try claims(outbox).isEmpty)
        #expect(try outbox.waitForNext(now: now) == .seconds(60))
        #expect(try claims(outbox, after: 59.999).isEmpty)
        #expect(try names(claims(outbox, after: 60)) == ["one"])
    }

    @Test func `a network that is back begins the repetitions again`() throws {
        let outbox = try open(retries: 0)
        try add(["one"], lane: nil, to: outbox)
        let one = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(one, .words("no route"), isTransient: true, now: now))
        #expect(try claims(outbox).isEmpty && outbox.waitForNext(now: now) == nil)
        try outbox.revive()
        #expect(try names(claims(outbox)) == ["one"])
    }

    @Test func `what is dropped gives its turn to the next of its lane`() throws {
        let outbox = try open()
        try add(["one", "two"], lane: "post", to: outbox)
        #expect(try outbox.remove("one"))
        #expect(try names(claims(outbox)) == ["two"])
    }

    @Test func `lanes go on after the process has died in the middle`() throws {
        let before = try open()
        try add(["a1", "a2"], lane: "a", to: before)
        try add(["b1", "b2"], lane: "b", to: before)
        let first = try claims(before)
        try finish(first[1], in: before)
        let after = try open()
        #expect(try names(claims(after)) == ["a1", "b2"])
    }

    @Test func `each kind has its own tries and its own number at a time`() throws {
        let outbox = try Outbox<Wish>(
            database: database,
            name: "test",
            policy: OutboxPolicy(concurrency: 1),
            kinds: [
                "picture": OutboxPolicy(
                    retries: RetryPolicy(retries: 0, first: .zero, longest: .zero),
                    exhaustion: .fails,
                    concurrency: 2
                )
            ]
        )
        for name in ["p1", "p2", "p3"] { try outbox.add(Wish(text: name, kind: "picture"), identity: name) }
        for name in ["t1", "t2"] { try outbox.add(Wish(text: name, kind: "unknown"), identity: name) }
        let taken = try claims(outbox)
        #expect(names(taken) == ["p1", "p2", "t1"])
        #expect(try outbox.fail(taken[0], .words("503"), isTransient: true, now: now))
        #expect(try outbox.entries().first?.due == nil)
        #expect(try outbox.fail(taken[2], .words("503"), isTransient: true, now: now))
        #expect(try names(claims(outbox)) == ["p3", "t2"])
    }

    @Test
    func `entries of a kind that a later version does not know are worked on by the queue's own policy`()
        throws
    {
        let kinds = ["picture": OutboxPolicy()]
        let before = try Outbox<Wish>(database: database, name: "test", kinds: kinds)
        try before.add(Wish(text: "p", kind: "picture"), identity: "p")
        #expect(try names(claims(open())) == ["p"])
    }

    @Test func `what takes the place of a damaged entry does not stop its lane`() throws {
        let outbox = try open()
        try add(["one", "two"], lane: "post", to: outbox)
        try database.write("damage") {
            try $0.execute(sql: "UPDATE outbox SET payload = 7 WHERE identity = 'one'")
        }
        try add(["one"], lane: "post", to: outbox)
        let two = try claims(outbox)
        #expect(names(two) == ["two"])
        try finish(two[0], in: outbox)
        #expect(try names(claims(outbox)) == ["one"])
    }

    @Test(arguments: [
        "lane = x'ff'", "lane = 7", "attempts = 9223372036854775807", "failures = 9223372036854775807",
    ])
    func `damage of a lane or a count ends no process, and can be dropped`(_ damage: String) throws {
        let outbox = try open()
        try add(["one"], lane: nil, to: outbox)
        try add(["two"], lane: nil, to: outbox)
        try database.write("damage") {
            try $0.execute(sql: "UPDATE outbox SET \(damage) WHERE identity = 'one'")
        }
        for claim in try claims(outbox) {
            #expect(try outbox.fail(claim, .words("503"), isTransient: true, now: now))
        }
        #expect(try outbox.entries().contains { $0.identity == "two" })
        #expect(try database.write("drop") { try outbox.cancel("one", in: $0) })
        #expect(try outbox.damages().isEmpty && outbox.entries().map(\.identity) == ["two"])
    }

    @Test func `what is damaged while it is in work is set aside, and keeps nobody waiting`() throws {
        let outbox = try open(concurrency: 1)
        try add(["one", "two"], lane: "post", to: outbox)
        let one = try #require(try outbox.claim(now: now))
        try database.write("damage") {
            try $0.execute(sql: "UPDATE outbox SET failures = 'many' WHERE identity = 'one'")
        }
        #expect(try !outbox.finish(one, receipt: Data(), now: now) { _ in Issue.record("recorded") })
        #expect(try names(claims(outbox)) == ["two"])
    }

    @Test func `the next entry is found by an index, however many wait`() throws {
        let outbox = try open()
        try add(["a"], lane: nil, to: outbox)
        let plans = try database.read("explain") { database in
            try [
                "kind = '' AND version <= 1 AND turn = -1e15 ORDER BY id LIMIT 1",
                "kind = '' AND version <= 1 AND turn > -1e15 AND turn <= 5 ORDER BY turn LIMIT 1",
                "kind = '' AND lease IS NOT NULL",
                "lane = '=a' AND (state <> 'failed' OR isTransient <> 0)",
                "state = 'failed' AND isTransient <> 0 AND due IS NULL",
            ].map { condition in
                try Row.fetchAll(
                    database,
                    sql: "EXPLAIN QUERY PLAN SELECT id FROM outbox WHERE queue = 'test' AND \(condition)"
                )
                .map { $0["detail"] as String }.joined(separator: "; ")
            }
        }
        for plan in plans { #expect(plan.hasPrefix("SEARCH") && !plan.contains("TEMP B-TREE"), "\(plan)") }
    }
}
