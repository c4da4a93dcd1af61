import AppKernel
import Concurrency
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Outbox: in the caller's transaction", .timeLimit(.minutes(10)))
struct OutboxTransactionTests {
    private struct Stop: Error {}

    private let database: AppDatabase
    private let outbox: Outbox<Wish>
    private let changes = CurrentValue<[String]>([])

    init() throws {
        database = try AppDatabase(path: ":memory:")
        try database.apply([SchemaStep("post-1", sql: "CREATE TABLE post (name TEXT, isLiked INTEGER)")])
        outbox = try Outbox(database: database, name: "test", policy: OutboxPolicy(concurrency: 4))
        outbox.watch { [changes] change in changes.update { $0.append("\(change.identity) \(change.event)") }
        }
    }

    private func posts() throws -> Int {
        try database.read("count") { try Int.fetchOne($0, sql: "SELECT count(*) FROM post") ?? 0 }
    }

    @Test func `a change and its work are there together, and watchers hear of them after the commit`() throws
    {
        try database.write("like") { database in
            try database.execute(sql: "INSERT INTO post VALUES ('p', 1)")
            try outbox.add(Wish(text: "like", lane: "p"), identity: "like p", in: database)
            #expect(changes.value.isEmpty)
        }
        #expect(changes.value == ["like p pending"])
        #expect(try posts() == 1 && outbox.entries().count == 1)
    }

    @Test func `a transaction that is undone leaves no work, and nobody hears of it`() throws {
        #expect(throws: DatabaseFailure.self) {
            try database.write("like") { database in
                try database.execute(sql: "INSERT INTO post VALUES ('p', 1)")
                try outbox.add(Wish(text: "like", lane: "p"), identity: "like p", in: database)
                throw Stop()
            }
        }
        #expect(try posts() == 0 && outbox.entries().isEmpty && changes.value.isEmpty)
        // What was noted is gone: the next commit tells its own changes alone.
        try outbox.add(Wish(text: "x"), identity: "x")
        #expect(changes.value == ["x pending"])
    }

    @Test func `the newest wish takes the place of one that waits, with a key of its own`() throws {
        let first = try outbox.add(Wish(text: "like", lane: "p"), identity: "like p")
        let second = try database.write("unlike") {
            try outbox.supersede(Wish(text: "unlike", lane: "p"), identity: "like p", in: $0)
        }
        #expect(try outbox.entries() == [second])
        #expect(second.idempotencyKey != first.idempotencyKey && second.work.text == "unlike")
    }

    @Test func `a wish that is in work and refused is not repeated, and the newest follows it`() async throws
    {
        let effect = ScriptedEffect<Wish>(["like p": [.failed(WorkFailure("403")), .done("second")]])
        effect.gate.set(false)
        try outbox.add(Wish(text: "like", lane: "p"), identity: "like p")
        let work = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).processQueue() }
        await effect.performed.reaches { $0.count == 1 }
        for wish in ["unlike", "like again"] {
            try database.write("change one's mind") {
                _ = try outbox.supersede(Wish(text: wish, lane: "p"), identity: "like p", in: $0)
            }
        }
        #expect(try outbox.entries().map(\.work.text) == ["like again"])
        effect.gate.set(true)
        await work.value
        #expect(effect.performed.value.map(\.work.text) == ["like", "like again"])
        #expect(effect.recorded.value == ["second"])
        #expect(try outbox.entries().isEmpty)
        // The failure of a wish that nobody has any more is none of its identity.
        #expect(!changes.value.contains { $0.contains("failed") }, "\(changes.value)")
    }

    @Test func `a superseded wish in work that succeeds is recorded before the one that follows it`()
        async throws
    {
        let effect = ScriptedEffect<Wish>()
        effect.gate.set(false)
        try outbox.add(Wish(text: "like", lane: "p"), identity: "like p")
        let work = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).processQueue() }
        await effect.performed.reaches { $0.count == 1 }
        try database.write("change one's mind") {
            _ = try outbox.supersede(Wish(text: "unlike", lane: "p"), identity: "like p", in: $0)
        }
        effect.gate.set(true)
        await work.value
        #expect(effect.performed.value.map(\.work.text) == ["like", "unlike"])
        #expect(effect.recorded.value.count == 2)
    }

    @Test func `cancelling ends a superseded wish in work as well`() async throws {
        let effect = PatientEffect()
        try outbox.add(Wish(text: "like", lane: "p"), identity: "a")
        let work = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).processQueue() }
        await effect.began.reaches { $0 }
        try database.write("change one's mind, twice") {
            _ = try outbox.supersede(Wish(text: "unlike", lane: "p"), identity: "a", in: $0)
            _ = try outbox.cancel("a", in: $0)
        }
        await work.value
        #expect(effect.wasCancelled.value && !effect.wasRecorded.value)
        #expect(try outbox.entries().isEmpty)
    }

    @Test func `a wish that was superseded in work when the process died is repeated before the newer one`()
        throws
    {
        try outbox.add(Wish(text: "like", lane: "p"), identity: "like p")
        let first = try #require(try outbox.claim())
        try database.write("change one's mind") {
            _ = try outbox.supersede(Wish(text: "unlike", lane: "p"), identity: "like p", in: $0)
        }
        let next = try Outbox<Wish>(database: database, name: "test")
        #expect(try next.entries().map(\.work.text) == ["unlike"])
        let again = try #require(try next.claim())
        #expect(again.entry.idempotencyKey == first.entry.idempotencyKey)
        #expect(try next.claim() == nil)
        #expect(try next.finish(again, receipt: Data("done".utf8)) { _ in })
        #expect(try next.claim()?.entry.work.text == "unlike")
    }

    @Test
    func
        `a wish whose end is not known is repeated at once when it is superseded, and the newer one follows`()
        throws
    {
        let now = Date()
        try outbox.add(Wish(text: "like", lane: "p"), identity: "like p")
        for attempt in 1...4 {
            let claim = try #require(try outbox.claim(now: now + Double(attempt) * 100))
            _ = try outbox.fail(claim, .words("504"), isTransient: true, now: now + Double(attempt) * 100)
        }
        #expect(try outbox.claim(now: now + 500) == nil)
        for wish in ["unlike", "like again"] {
            try database.write("change one's mind") {
                _ = try outbox.supersede(Wish(text: wish, lane: "p"), identity: "like p", in: $0)
            }
        }
        let again = try #require(try outbox.claim(now: now + 500))
        #expect(again.entry.work.text == "like")
        #expect(try outbox.fail(again, .words("504"), isTransient: true, now: now + 500))
        #expect(try outbox.claim(now: now + 500) == nil)
        let last = try #require(try outbox.claim(now: now + 600))
        #expect(last.entry.work.text == "like")
        #expect(try outbox.fail(last, .words("403"), isTransient: false, now: now + 600))
        #expect(try outbox.claim(now: now + 600)?.entry.work.text == "like again")
        #expect(!changes.value.contains { $0.contains("403") }, "\(changes.value)")
    }

    @Test func `what replaces work ends its attempt, and is all that watchers hear of`() async throws {
        let effect = PatientEffect()
        try outbox.add(Wish(text: "like"), identity: "a")
        let work = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).processQueue() }
        await effect.began.reaches { $0 }
        let new = try database.write("replace") {
            try outbox.replace(Wish(text: "remove"), identity: "a", in: $0)
        }
        #expect(try outbox.entries() == [new])
        await effect.wasCancelled.reaches { $0 }
        #expect(changes.value.prefix(3) == ["a pending", "a started", "a pending"])
        work.cancel()
        await work.value
        #expect(!effect.wasRecorded.value)
    }

    @Test func `cancelling ends the attempt when it commits, and its outcome counts for nothing`()
        async throws
    {
        let effect = PatientEffect()
        try outbox.add(Wish(text: "like"), identity: "a")
        let work = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).processQueue() }
        await effect.began.reaches { $0 }
        let found = try database.write("drop") { database in
            let found = [try outbox.cancel("a", in: database), try outbox.cancel("unknown", in: database)]
            #expect(!effect.wasCancelled.value)
            return found
        }
        #expect(found == [true, false])
        await work.value
        #expect(effect.wasCancelled.value && !effect.wasRecorded.value)
        #expect(try outbox.entries().isEmpty)
    }

    @Test func `a failure for a reason that is gone is tried again, and no other`() throws {
        for (name, reason) in [("a", "key"), ("b", "size"), ("c", "key")] {
            try outbox.add(Wish(text: name), identity: name)
            let claim = try #require(try outbox.claim())
            #expect(try outbox.fail(claim, .words(reason), isTransient: false))
        }
        #expect(try outbox.retryAll { $0 == .words("key") } == 2)
        #expect(try outbox.entries().map(\.state) == [.pending, .failed, .pending])
    }

    @Test func `what a recording did before it failed is undone, and nobody hears of it`() throws {
        let heard = CurrentValue<[String]>([])
        outbox.watch { change in heard.update { $0.append("\(change.identity) \(change.event)") } }
        try outbox.add(Wish(text: "a"), identity: "a")
        let claim = try #require(try outbox.claim())
        let receipt = Data("\"done\"".utf8)
        let isKept = try outbox.finish(claim, receipt: receipt) { database in
            try outbox.add(Wish(text: "b"), identity: "b", in: database)
            throw WorkFailure("the table is full")
        }
        #expect(isKept && heard.value == ["a pending", "a started", "a done"])
        let entries = try outbox.entries()
        #expect(entries.map(\.identity) == ["a"] && entries.map(\.state) == [.done])
        // Another one may take the lane's next entry, and the receipt is recorded later.
        let again = try #require(try outbox.claim(now: Date() + 86_400))
        #expect(again.receipt == receipt)
        #expect(try outbox.finish(again, receipt: receipt) { _ in })
        #expect(try outbox.entries().isEmpty && heard.value.last == "a removed")
    }

    @Test func `an older opening is refused whatever it asks for, and its worker says why`() async throws {
        try outbox.add(Wish(text: "x"), identity: "x")
        let newer = try Outbox<Wish>(database: database, name: "test")
        let calls: [() throws -> Void] = [
            { try outbox.add(Wish(text: "y"), identity: "y") }, { _ = try outbox.claim() },
            { try outbox.retry("x") },
            { try outbox.remove("x") }, { try outbox.revive() },
            {
                try database.write("supersede") {
                    _ = try outbox.supersede(Wish(text: "z"), identity: "x", in: $0)
                }
            },
            { try database.write("cancel") { _ = try outbox.cancel("x", in: $0) } },
        ]
        for call in calls {
            let failure = #expect(throws: DatabaseFailure.self) { try call() }
            #expect(failure?.code == .takenOver)
        }
        let effect = ScriptedEffect<Wish>()
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        await worker.processQueue()
        #expect(worker.failure.value?.code == .takenOver && effect.performed.value.isEmpty)
        #expect(try newer.entries().map(\.identity) == ["x"])
        await OutboxWorker(outbox: newer, effect: effect).processQueue()
        #expect(effect.identities == ["x"])
    }
}

/// Works until it is cancelled, and then says that it is done.
private final class PatientEffect: OutboxEffect {
    let began = CurrentValue(false)
    let wasCancelled = CurrentValue(false)
    let wasRecorded = CurrentValue(false)

    func perform(_ attempt: OutboxAttempt<Wish>) async -> OutboxOutcome<Wish> {
        began.set(true)
        try? await Task.sleep(for: .seconds(3_600))
        wasCancelled.set(true)
        return attempt.entry.work.text == "like" ? .done("too late") : .retry(WorkFailure("cancelled"))
    }

    func record(_ receipt: String, of entry: OutboxEntry<Wish>, in database: Database) {
        wasRecorded.set(true)
    }
}
