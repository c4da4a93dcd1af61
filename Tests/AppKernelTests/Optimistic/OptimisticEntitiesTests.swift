import AppKernel
import Concurrency
import Foundation
import GRDB
import Simulation
import SimulationTesting
import Synchronization
import Testing

@Suite("Optimistic entities")
struct OptimisticEntitiesTests {
    private let database: AppDatabase
    private let outbox: Outbox<PostChange>
    private let entities: OptimisticEntities<PostChange>

    init() throws {
        database = try AppDatabase(path: ":memory:")
        outbox = try Outbox(database: database, name: "posts")
        entities = try OptimisticEntities(outbox)
    }

    private func like(_ isLiked: Bool, as identity: String) throws {
        try outbox.add(PostChange(post: "p", kind: .like(isLiked)), identity: identity)
    }

    private func post() throws -> Post? { try database.read("look") { try entities.entity("p", in: $0) } }

    private func read(_ post: Post) throws { try entities.keep(["p": post], of: entities.reading()) }

    @Test func `a change is seen at once, and what was never read is not there`() throws {
        try like(true, as: "a")
        #expect(try post() == nil)
        try read(Post(likes: 7))
        #expect(try post() == Post(likes: 8, isLiked: true))
        try read(Post(likes: 9, isLiked: true, text: "new"))
        #expect(try post() == Post(likes: 9, isLiked: true, text: "new"))
    }

    @Test func `a change that fails takes itself along, and no newer one`() throws {
        try read(Post(likes: 1))
        try outbox.add(PostChange(post: "p", kind: .edit("first")), identity: "edit")
        try like(true, as: "like")
        let claim = try #require(try outbox.claim())
        #expect(try outbox.fail(claim, .failed(WorkFailure("403")), isTransient: false))
        #expect(try post() == Post(likes: 2, isLiked: true))
        // What is tried again is seen again.
        try outbox.retry("edit")
        #expect(try post() == Post(likes: 2, isLiked: true, text: "first"))
        try database.write("cancel") { _ = try outbox.cancel("like", in: $0) }
        #expect(try post() == Post(likes: 1, text: "first"))
    }

    @Test func `the result of work is the base in the transaction in which its entry goes`() throws {
        try read(Post(likes: 1))
        try like(true, as: "a")
        let early = try entities.reading()
        let claim = try #require(try outbox.claim())
        _ = try outbox.finish(claim, receipt: Data("{}".utf8)) { database in
            try entities.record(Post(likes: 5, isLiked: true), of: claim.entry.work, in: database)
        }
        #expect(try outbox.entries().isEmpty && post() == Post(likes: 5, isLiked: true))
        // The answer to a reading that began before says what was before.
        try entities.keep(["p": Post(likes: 1)], of: early)
        #expect(try post() == Post(likes: 5, isLiked: true))
        // Without a result the change itself is made.
        try database.write("record") {
            try entities.record(nil, of: PostChange(post: "p", kind: .edit("x")), in: $0)
        }
        #expect(try post() == Post(likes: 5, isLiked: true, text: "x"))
    }

    @Test func `the answer to an older reading changes nothing`() throws {
        let (older, newer) = (try entities.reading(), try entities.reading())
        try entities.keep(["p": Post(likes: 2)], of: newer)
        try entities.keep(["p": Post(likes: 1), "q": Post(likes: 3)], of: older)
        #expect(try post() == Post(likes: 2))
        #expect(try database.read("look") { try entities.entity("q", in: $0) } == Post(likes: 3))
    }

    @Test func `who signs out leaves nothing, and late answers bring nothing back`() throws {
        try read(Post(likes: 1))
        try like(true, as: "a")
        let reading = try entities.reading()
        let claim = try #require(try outbox.claim())
        try database.write("sign out") { try entities.forgetAll(in: $0) }
        #expect(try outbox.entries().isEmpty && post() == nil)
        try entities.keep(["p": Post(likes: 1)], of: reading)
        let isFinished = try outbox.finish(claim, receipt: Data("{}".utf8)) { database in
            try entities.record(Post(likes: 2), of: claim.entry.work, in: database)
        }
        #expect(try !isFinished && post() == nil)
        // After the next sign-in everything is read again, over the same queue.
        try read(Post(likes: 4))
        #expect(try post() == Post(likes: 4))
    }

    @Test(.simulated(seeds: 1...5))
    func `all that show an entity show the same`() async throws {
        let showing = Task { [entities] in await entities.run() }
        let (first, second) = (try entities.published("p"), try entities.published("p"))
        var seen: [Post?] = []
        let watching = Task {
            var seen: [Post?] = []
            for await post in first.values(backlog: 10) {
                seen.append(post)
                if post?.isLiked == true { break }
            }
            return seen
        }
        try await Task.sleep(for: .seconds(1))
        try read(Post(likes: 1))
        try await Task.sleep(for: .seconds(1))
        try like(true, as: "a")
        seen = await watching.value
        #expect(seen == [nil, Post(likes: 1), Post(likes: 2, isLiked: true)])
        #expect(second.value == first.value)
        showing.cancel()
        await showing.value
    }

    @Test(.simulated(seeds: 1...50))
    func
        `the user sees his own newest wish, whatever fails and arrives late, and in the end what the service has`()
        async throws
    {
        try await OptimisticUser().run()
    }
}
