import AppKernel
import Concurrency
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Outbox")
struct OutboxTests {
    private let folder: TemporaryFolder
    private let now = Date(timeIntervalSince1970: 1_000_000)

    init() throws { folder = try TemporaryFolder() }

    private func open() throws -> Outbox<String> {
        try Outbox(database: AppDatabase(path: folder.file("app.sqlite")), name: "test", policy: plainPolicy)
    }

    private var plainPolicy: OutboxPolicy {
        OutboxPolicy(
            retries: RetryPolicy(retries: 3, first: .seconds(1), longest: .seconds(4), jitter: 0),
            concurrency: 10
        )
    }

    @Test("LENS-162 an added entry is pending and in the file before adding returns")
    func durable() throws {
        let outbox = try open()
        let added = try outbox.add("payload", identity: "a")
        #expect(added.state == .pending && added.attempts == 0 && added.failures == 0)
        // A copy of the file is all that a crash at this moment would leave.
        try FileManager.default.copyItem(
            atPath: folder.file("app.sqlite"),
            toPath: folder.file("copy.sqlite")
        )
        let copy = try Outbox<String>(database: AppDatabase(path: folder.file("copy.sqlite")), name: "test")
        #expect(try copy.entries() == [added])
    }

    @Test(
        arguments: [
            "failures = 'many'", "attempts = x'00'", "payload = 7", "payload = x'ff00'", "addedAt = 'soon'",
            "due = 'abc'", "state = 'failed', due = 'abc'", "reason = x'ff00'", "receipt = 7",
            "identity = x'ff'", "idempotencyKey = 'no key'", "seriesFailures = 'x'",
        ]
    )
    func `a damaged entry is reported, keeps no other from being worked on, and comes back when added again`(
        _ damage: String
    ) throws {
        let database = try AppDatabase(path: folder.file("app.sqlite"))
        let outbox = try Outbox<String>(database: database, name: "test", policy: plainPolicy)
        try outbox.add("damaged", identity: "a")
        try outbox.add("whole", identity: "b")
        try database.write("damage an entry") {
            try $0.execute(sql: "UPDATE outbox SET \(damage) WHERE identity = 'a'")
        }
        #expect(try outbox.entries().map(\.identity) == ["b"])
        let damages = try outbox.damages()
        #expect(damages.count == 1 && damages[0].contains("entry 1"), "\(damages)")
        #expect(try outbox.claim()?.entry.work == "whole")
        #expect(try outbox.claim() == nil)
        // A time that is no time makes nobody wait.
        #expect(try outbox.waitForNext() == nil)
        let again = try outbox.add("again", identity: "a")
        // Where the damage hit what is not the work itself, the work is still there, as failed.
        if again.state == .failed { #expect(try outbox.retry("a")) }
        #expect(try outbox.claim()?.entry.work == again.work)
    }

    @Test("LENS-173 adding one identity twice gives one entry, with its first key and payload")
    func sameTwice() throws {
        let outbox = try open()
        let first = try outbox.add("one", identity: "a")
        let second = try outbox.add("two", identity: "a")
        #expect(first == second)
        #expect(try outbox.entries().count == 1)
    }

    @Test("queues of one file are apart")
    func apart() throws {
        let database = try AppDatabase(path: folder.file("app.sqlite"))
        let one = try Outbox<String>(database: database, name: "one")
        let two = try Outbox<String>(database: database, name: "two")
        try one.add("x", identity: "a")
        #expect(try two.entries().isEmpty)
        #expect(try two.claim() == nil)
    }

    @Test("entries are taken first in, first out, and none twice")
    func order() throws {
        let outbox = try open()
        for identity in ["c", "a", "b"] { try outbox.add(identity, identity: identity) }
        let taken = try (0..<4).map { _ in try outbox.claim(now: now)?.entry.identity }
        #expect(taken == ["c", "a", "b", nil])
    }

    @Test(
        "LENS-170 three repetitions come after one, two and four seconds, then none before the outage is taken to be over"
    )
    func backoff() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        var time = now
        for wait in [1.0, 2, 4] {
            let claim = try #require(try outbox.claim(now: time))
            #expect(try outbox.fail(claim, .words("no"), isTransient: true, now: time))
            #expect(try outbox.claim(now: time.addingTimeInterval(wait - 0.001)) == nil)
            #expect(try outbox.waitForNext(now: time) == .seconds(wait))
            time += wait
        }
        let last = try #require(try outbox.claim(now: time))
        #expect(last.entry.attempts == 4)
        #expect(try outbox.fail(last, .words("still no"), isTransient: true, now: time))
        #expect(try outbox.waitForNext(now: time) == .seconds(600))
        #expect(try outbox.claim(now: time.addingTimeInterval(599)) == nil)

        // LENS-169: on request it is pending again, keeps its count, and has a fresh series of repetitions.
        #expect(try outbox.retry("a"))
        #expect(try outbox.entries().map(\.state) == [.pending])
        let again = try #require(try outbox.claim(now: time))
        #expect(again.entry.failures == 4)
        #expect(try outbox.fail(again, .words("no"), isTransient: true, now: time))
        #expect(try outbox.waitForNext(now: time) == .seconds(1))
    }

    @Test("LENS-166 a failure is counted, its text kept, and the entry stays")
    func failure() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        let claim = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(claim, .words("disk on fire"), isTransient: false, now: now))
        let entry = try #require(try open().entries().first)
        #expect(entry.state == .failed && entry.failures == 1 && entry.reason == .words("disk on fire"))
        #expect(entry.due == nil)
    }

    @Test("an error of any length is kept short")
    func longError() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        let claim = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(claim, .words(String(repeating: "e", count: 1_000_000)), isTransient: false))
        #expect(try outbox.entries().first?.reason?.description.count == 1_000)
    }

    @Test("LENS-172 what was in work when the process died is pending again, once, with its key")
    func crash() throws {
        let before = try open()
        let added = try before.add("x", identity: "a")
        let claim = try #require(try before.claim(now: now))
        let after = try open()
        let entries = try after.entries()
        #expect(entries.count == 1)
        #expect(entries.first?.state == .pending && entries.first?.failures == 0)
        let again = try #require(try after.claim(now: now))
        #expect(again.entry.idempotencyKey == added.idempotencyKey)
        #expect(again.entry.attempts == 2)

        // The dead process cannot settle any more, whatever it thinks.
        #expect(try before.finish(claim, receipt: Data()) { _ in Issue.record("recorded") } == false)
        #expect(try before.fail(claim, .words("late"), isTransient: false) == false)
        #expect(try after.entries().map(\.state) == [.inWork])
    }

    @Test("LENS-171 a relaunch finds pending and failed entries with their counts, texts and times")
    func relaunch() throws {
        let before = try open()
        for identity in ["a", "b", "c"] { try before.add(identity, identity: identity) }
        let first = try #require(try before.claim(now: now))
        #expect(try before.fail(first, .words("flaky"), isTransient: true, now: now))
        let second = try #require(try before.claim(now: now))
        #expect(try before.fail(second, .words("broken"), isTransient: false, now: now))
        let entries = try before.entries()
        #expect(try open().entries() == entries)
        #expect(entries.map(\.state) == [.failed, .failed, .pending])
        #expect(entries.map(\.reason) == [.words("flaky"), .words("broken"), nil])
    }

    @Test("a clock that was set back does not make repetitions wait for it")
    func clockSetBack() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        let claim = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(claim, .words("no"), isTransient: true, now: now))
        let yesterday = now.addingTimeInterval(-86_400)
        #expect(try outbox.waitForNext(now: yesterday) == .zero)
        #expect(try outbox.claim(now: yesterday) != nil)
    }

    @Test("an entry in work cannot be dropped, one at rest can")
    func remove() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        let claim = try #require(try outbox.claim(now: now))
        #expect(try outbox.remove("a") == false)
        try outbox.release(claim)
        #expect(try outbox.remove("a"))
        #expect(try outbox.entries().isEmpty)
    }

    @Test("only failed entries can be retried")
    func retryRefused() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        #expect(try outbox.retry("a") == false)
        #expect(try outbox.retry("unknown") == false)
    }

    @Test("a full disk is an error that says so, and the work was not accepted")
    func full() throws {
        let database = try AppDatabase(path: folder.file("app.sqlite"))
        let outbox = try Outbox<String>(database: database, name: "test")
        try database.write("shrink the disk") { database in
            let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
            _ = try Int.fetchOne(database, sql: "PRAGMA max_page_count = \(pages + 1)")
        }
        let failure = #expect(throws: DatabaseFailure.self) {
            try outbox.add(String(repeating: "x", count: 100_000), identity: "a")
        }
        #expect(failure?.code == .full)
        #expect(failure?.description.contains("Free some space") == true)
        #expect(try outbox.entries().isEmpty)
    }

    @Test func `who has lost the lease of an entry can no longer give it back`() throws {
        let database = try AppDatabase(path: folder.file("app.sqlite"))
        let outbox = try Outbox<String>(database: database, name: "test")
        try outbox.add("x", identity: "a")
        let old = try #require(try outbox.claim())
        // As after a launch: the work of the process before is open again, and somebody takes it.
        let next = try Outbox<String>(database: database, name: "test")
        let new = try #require(try next.claim())
        try outbox.release(old)
        #expect(try next.entries().map(\.state) == [.inWork])
        #expect(try !outbox.finish(old, receipt: Data()) { _ in Issue.record("recorded") })
        #expect(try next.finish(new, receipt: Data("1".utf8)) { _ in })
    }
}
