import AppKernel
import Concurrency
import Foundation
import TestSupport
import Testing

@Suite("Outbox: after outages and crashes")
struct OutboxRecoveryTests {
    private let folder: TemporaryFolder
    private let now = Date(timeIntervalSince1970: 1_000_000)

    init() throws { folder = try TemporaryFolder() }

    /// A queue that repeats nothing by itself.
    private func open() throws -> Outbox<String> {
        try Outbox(
            database: AppDatabase(path: folder.file("app.sqlite")),
            name: "test",
            policy: OutboxPolicy(retries: RetryPolicy(retries: 0, first: .zero, longest: .zero))
        )
    }

    private func fail(_ outbox: Outbox<String>, isTransient: Bool) throws {
        let claim = try #require(try outbox.claim(now: now))
        #expect(try outbox.fail(claim, .words("no"), isTransient: isTransient, now: now))
    }

    @Test func `what an outage has made fail is pending again once something succeeds, and nothing else is`()
        throws
    {
        let outbox = try open()
        for identity in ["outage", "refused", "good", "later"] {
            try outbox.add(identity, identity: identity)
        }
        try fail(outbox, isTransient: true)
        try fail(outbox, isTransient: false)
        #expect(try outbox.entries().map(\.state) == [.failed, .failed, .pending, .pending])
        let changes = CurrentValue<[OutboxChange<String>]>([])
        outbox.watch { change in changes.update { $0.append(change) } }
        let good = try #require(try outbox.claim(now: now))
        #expect(try outbox.finish(good, receipt: Data("1".utf8), now: now) { _ in })
        #expect(try outbox.entries().map(\.state) == [.pending, .failed, .pending])
        #expect(
            changes.value == [
                OutboxChange(identity: "good", event: .started),
                OutboxChange(identity: "good", event: .done),
                OutboxChange(identity: "good", event: .removed),
                OutboxChange(identity: "outage", event: .pending),
            ]
        )
        #expect(try outbox.entries().first?.failures == 1)
    }

    @Test func `what an outage has made fail is pending again at the next opening`() throws {
        let outbox = try open()
        for identity in ["outage", "refused"] { try outbox.add(identity, identity: identity) }
        try fail(outbox, isTransient: true)
        try fail(outbox, isTransient: false)
        #expect(try open().entries().map(\.state) == [.pending, .failed])
    }

    @Test func `work that has ended the process three times in a row is set aside, and the next one is done`()
        throws
    {
        let outbox = try open()
        for identity in ["poison", "good"] { try outbox.add(identity, identity: identity) }
        for crash in 1...3 {
            // Noted before the work begins: nothing is written after the claim.
            let claim = try #require(try open().claim(now: now))
            #expect(claim.entry.identity == "poison" && claim.entry.crashes == crash - 1)
        }
        let after = try open()
        let entries = try after.entries()
        #expect(entries.map(\.state) == [.failed, .pending])
        #expect(entries[0].isSetAside && entries[0].crashes == 3)
        #expect(entries[0].reason?.description.contains("3 times") == true)
        // Neither a success nor the next opening brings it back.
        let good = try #require(try after.claim(now: now))
        #expect(good.entry.identity == "good")
        #expect(try after.finish(good, receipt: Data("1".utf8), now: now) { _ in })
        let next = try open()
        #expect(try next.entries().first?.isSetAside == true)
        // The user does, with as many chances as at first.
        #expect(try next.retry("poison"))
        let again = try next.entries()[0]
        #expect(again.state == .pending && again.crashes == 0 && !again.isSetAside)
    }

    @Test
    func `an end in good order does not count, and neither does a crash before a failure that was survived`()
        throws
    {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        for _ in 0..<2 { _ = try #require(try open().claim(now: now)) }
        let ended = try open()
        try ended.release(try #require(try ended.claim(now: now)))
        #expect(try ended.entries()[0].crashes == 0)
        for _ in 0..<2 { _ = try #require(try open().claim(now: now)) }
        let failed = try open()
        #expect(try failed.entries()[0].crashes == 2)
        try fail(failed, isTransient: true)
        #expect(try failed.entries()[0].crashes == 0)
        for _ in 0..<2 { _ = try #require(try open().claim(now: now)) }
        #expect(try open().entries()[0].state == .pending)
    }

    @Test func `work that is done and waits for its recording ends no process`() throws {
        let outbox = try open()
        try outbox.add("x", identity: "a")
        let claim = try #require(try outbox.claim(now: now))
        #expect(
            try outbox.finish(claim, receipt: Data("1".utf8), now: now) { _ in throw CancellationError() }
        )
        for _ in 0..<5 { #expect(try #require(try open().claim(now: now + 1)).receipt != nil) }
        #expect(try open().entries()[0].crashes == 0)
    }
}
