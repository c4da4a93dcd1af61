import AppKernel
import Concurrency
import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Outbox worker", .timeLimit(.minutes(10)))
struct OutboxWorkerTests {
    private let folder: TemporaryFolder
    private let outbox: Outbox<String>
    private let changes = CurrentValue<[OutboxChange<String>]>([], backlog: 10_000)

    init() throws {
        folder = try TemporaryFolder()
        outbox = try Outbox(
            database: AppDatabase(path: folder.file("app.sqlite")),
            name: "test",
            policy: OutboxPolicy(retries: RetryPolicy(retries: 3, first: .zero, longest: .zero))
        )
        outbox.watch { [changes] change in changes.update { $0.append(change) } }
    }

    private func events(_ identity: String) -> [OutboxChange<String>.Event] {
        changes.value.filter { $0.identity == identity }.map(\.event)
    }

    @Test("LENS-164 with an empty queue nothing is asked of the effect")
    func empty() async {
        let effect = ScriptedEffect<String>()
        await OutboxWorker(outbox: outbox, effect: effect).processQueue()
        #expect(effect.performed.value.isEmpty)
    }

    @Test(
        "LENS-167 a success goes from pending over uploading to completed, is recorded, and leaves the queue"
    )
    func success() async throws {
        let effect = ScriptedEffect<String>()
        try outbox.add("x", identity: "a")
        await OutboxWorker(outbox: outbox, effect: effect).processQueue()
        #expect(events("a") == [.pending, .started, .done, .removed])
        #expect(effect.recorded.value == ["receipt of x"])
        #expect(try outbox.entries().isEmpty)
    }

    @Test("LENS-163 the oldest entry is taken first, and is reported as uploading before the work begins")
    func uploadingFirst() async throws {
        let effect = ScriptedEffect<String>()
        effect.gate.set(false)
        try outbox.add("x", identity: "b")
        try outbox.add("y", identity: "a")
        let work = Task { [outbox] in await OutboxWorker(outbox: outbox, effect: effect).processQueue() }
        await effect.performed.reaches { !$0.isEmpty }
        #expect(events("b") == [.pending, .started])
        #expect(events("a") == [.pending])
        #expect(try outbox.entries().map(\.state) == [.inWork, .pending])
        effect.gate.set(true)
        await work.value
        #expect(effect.performed.value.map(\.identity) == ["b", "a"])
    }

    @Test("LENS-167 LENS-169 transient failures repeat with one key until the success")
    func transient() async throws {
        let effect = ScriptedEffect<String>(["a": [.retry(WorkFailure("one")), .retry(WorkFailure("two"))]])
        try outbox.add("x", identity: "a")
        await OutboxWorker(outbox: outbox, effect: effect).processQueue()
        #expect(
            events("a") == [
                .pending, .started, .failed(.words("one"), failures: 1, retriesItself: true),
                .pending, .started, .failed(.words("two"), failures: 2, retriesItself: true),
                .pending, .started, .done, .removed,
            ]
        )
        #expect(Set(effect.performed.value.map(\.idempotencyKey)).count == 1)
        #expect(effect.performed.value.last?.failures == 2)
    }

    @Test("LENS-175 a failing entry does not hold up those behind it")
    func noBlocking() async throws {
        let effect = ScriptedEffect<String>(["a": [.failed(WorkFailure("never"))]])
        for identity in ["a", "b", "c"] { try outbox.add(identity, identity: identity) }
        await OutboxWorker(outbox: outbox, effect: effect).processQueue()
        #expect(effect.identities == ["a", "b", "c"])
        #expect(try outbox.entries().map(\.identity) == ["a"])
        #expect(events("a").last == .failed(.words("never"), failures: 1, retriesItself: false))
    }

    @Test("LENS-176 several workings at once do no entry twice")
    func concurrent() async throws {
        let effect = ScriptedEffect<String>()
        for number in 0..<40 { try outbox.add("x", identity: "\(number)") }
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        let other = OutboxWorker(outbox: outbox, effect: effect)
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask { await worker.processQueue() }
                group.addTask { await other.processQueue() }
            }
        }
        #expect(effect.identities.sorted() == (0..<40).map(String.init).sorted())
        #expect(try outbox.entries().isEmpty)
    }

    @Test("a success that could not be recorded is recorded later, without doing the work again")
    func recordLater() async throws {
        let effect = ScriptedEffect<String>(recordFailures: 2)
        try outbox.add("x", identity: "a")
        await OutboxWorker(outbox: outbox, effect: effect).processQueue()
        #expect(effect.performed.value.count == 1)
        #expect(effect.recorded.value == ["receipt of x"])
        #expect(try outbox.entries().isEmpty)
    }

    @Test("after a crash between success and recording the receipt is recorded, and the work not repeated")
    func crashBeforeRecord() async throws {
        try outbox.add("x", identity: "a")
        let claim = try #require(try outbox.claim())
        let receipt = try JSONEncoder().encode("kept receipt")
        #expect(try outbox.finish(claim, receipt: receipt) { _ in throw CancellationError() })

        let reopened = try Outbox<String>(
            database: AppDatabase(path: folder.file("app.sqlite")),
            name: "test"
        )
        let effect = ScriptedEffect<String>()
        await OutboxWorker(outbox: reopened, effect: effect).processQueue()
        #expect(effect.performed.value.isEmpty)
        #expect(effect.recorded.value == ["kept receipt"])
        #expect(try reopened.entries().isEmpty)
    }

    @Test(
        "work whose end cannot be stored shows as a failure, and is repeated with its key once the disk is well"
    )
    func failingDisk() async throws {
        let database = try AppDatabase(path: folder.file("failing.sqlite"))
        let outbox = try Outbox<String>(database: database, name: "test")
        try database.write("break the disk") {
            try $0.execute(
                sql: """
                    CREATE TRIGGER broken BEFORE UPDATE OF receipt ON outbox WHEN NEW.state = 'done'
                    BEGIN SELECT RAISE(ABORT, 'no room'); END
                    """
            )
        }
        let effect = ScriptedEffect<String>()
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        try outbox.add("x", identity: "a")
        await worker.processQueue()
        #expect(worker.failure.value != nil)
        #expect(effect.performed.value.count == 1 && effect.recorded.value.isEmpty)

        try database.write("mend the disk") { try $0.execute(sql: "DROP TRIGGER broken") }
        await worker.processQueue()
        #expect(worker.failure.value == nil)
        #expect(Set(effect.performed.value.map(\.idempotencyKey)).count == 1)
        #expect(effect.recorded.value == ["receipt of x"])
        #expect(try outbox.entries().isEmpty)
    }

    @Test func `without a network entries wait pending, and its return starts the work`() async throws {
        let effect = ScriptedEffect<String>()
        let worker = OutboxWorker(outbox: outbox, effect: effect, isOnline: false)
        let run = Task { await worker.run() }
        try outbox.add("x", identity: "a")
        await worker.processQueue()
        #expect(effect.performed.value.isEmpty)
        #expect(try outbox.entries().map(\.state) == [.pending])
        await worker.setOnline(true)
        await effect.recorded.reaches { $0.count == 1 }
        run.cancel()
        await run.value
    }

    @Test("a running worker is woken by what is added, and by the time of a repetition")
    func woken() async throws {
        let patient = try Outbox<String>(
            database: AppDatabase(path: folder.file("other.sqlite")),
            name: "test",
            policy: OutboxPolicy(
                retries: RetryPolicy(retries: 3, first: .milliseconds(5), longest: .milliseconds(5))
            )
        )
        let effect = ScriptedEffect<String>(["b": [.retry(WorkFailure("once"))]])
        let worker = OutboxWorker(outbox: patient, effect: effect)
        let run = Task { await worker.run() }
        try patient.add("x", identity: "a")
        await effect.recorded.reaches { $0.count == 1 }
        try patient.add("y", identity: "b")
        await effect.recorded.reaches { $0.count == 2 }
        #expect(effect.identities == ["a", "b", "b"])
        run.cancel()
        await run.value
    }

    @Test("work that ends because the app goes down is no failure")
    func shutdown() async throws {
        let effect = ScriptedEffect<String>(["a": [.retry(WorkFailure("cancelled"))]])
        effect.gate.set(false)
        try outbox.add("x", identity: "a")
        let worker = OutboxWorker(outbox: outbox, effect: effect)
        let run = Task { await worker.run() }
        await effect.performed.reaches { !$0.isEmpty }
        run.cancel()
        await run.value
        let entry = try #require(try outbox.entries().first)
        #expect(entry.state == .pending && entry.failures == 0)
    }
}
