import AppKernel
import Concurrency
import Foundation
import GRDB
import Simulation
import Synchronization
import Testing

/// A user who likes and edits posts while changes fail, readings arrive late, the app is started again, and somebody signs out; and the model of
/// what he must see.
final class OptimisticUser: Sendable {
    /// What he wants of a post, oldest first, without what has failed or was cancelled.
    private struct Model {
        var wishes: [String: [(identity: String, kind: PostChange.Kind)]] = [:]
        /// Which post a wish is about.
        var posts: [String: String] = [:]
        /// Posts of which the service has said something since somebody signed in.
        var read: Set<String> = []
        var era = 0
    }

    private struct App {
        let outbox: Outbox<PostChange>
        let entities: OptimisticEntities<PostChange>
        let work: [Task<Void, Never>]
    }

    private let names = ["p", "q"]
    private let model = Mutex(Model())
    private let service = PostService(["p", "q"])

    func run() async throws {
        let database = try AppDatabase(path: ":memory:")
        var app = try start(database)
        for number in Simulation.work("actions", count: 30) {
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...700)))
            let name = names[Int.random(in: 0...1)]
            switch Int.random(in: 0..<16) {
            case 0..<5: try wish(PostChange(post: name, kind: .like(.random())), "\(number)", app)
            case 5..<8: try wish(PostChange(post: name, kind: .edit("\(number)")), "\(number)", app)
            case 8..<11: read(app, after: .milliseconds(Int.random(in: 0...3_000)))
            case 11: service.isLikedByAnother(name)
            case 12, 13: try cancel(name, app, database)
            case 14:
                for task in app.work { task.cancel() }
                for task in app.work { await task.value }
                let before = try seen(app, database)
                app = try start(database)
                #expect(try seen(app, database) == before, "a start shows what was shown before")
            default: try await signOut(app, database)
            }
            try check(app, database)
        }
        for _ in 0..<100 where try !app.outbox.entries().allSatisfy(\.isFinal) {
            try await Task.sleep(for: .seconds(5))
            try check(app, database)
        }
        read(app, after: .zero)
        try await Task.sleep(for: .seconds(20))
        #expect(try seen(app, database) == names.map { service.posts[$0] })
        #expect(try names.map { try app.entities.published($0).value } == names.map { service.posts[$0] })
        for task in app.work { task.cancel() }
        for task in app.work { await task.value }
    }

    private func start(_ database: AppDatabase) throws -> App {
        let retries = RetryPolicy(retries: 1_000, first: .seconds(1), longest: .seconds(4))
        let outbox = try Outbox<PostChange>(
            database: database,
            name: "posts",
            policy: OutboxPolicy(retries: retries, concurrency: 2)
        )
        let entities = try OptimisticEntities(outbox)
        for name in names { _ = try entities.published(name) }
        outbox.watch { [weak self] change in
            switch change.event {
            case .failed(_, _, retriesItself: false): self?.drop(change.identity)
            case .done:
                self?.model.withLock { $0.read.formUnion($0.posts[change.identity].map { [$0] } ?? []) }
            default: break
            }
        }
        let worker = OutboxWorker(outbox: outbox, effect: PostEffect(service: service, entities: entities))
        return App(
            outbox: outbox,
            entities: entities,
            work: [Task { await worker.run() }, Task { await entities.run() }]
        )
    }

    private func drop(_ identity: String) {
        model.withLock { model in
            guard let post = model.posts[identity] else { return }
            model.wishes[post]?.removeAll { $0.identity == identity }
        }
    }

    private func wish(_ change: PostChange, _ identity: String, _ app: App) throws {
        try app.outbox.add(change, identity: identity)
        model.withLock { model in
            model.posts[identity] = change.post
            model.wishes[change.post, default: []].append((identity, change.kind))
        }
    }

    /// Cancels a wish of which the service cannot know.
    private func cancel(_ name: String, _ app: App, _ database: AppDatabase) throws {
        let untouched = try app.outbox.entries().last { $0.work.post == name && $0.attempts == 0 }
        guard let untouched else { return }
        try database.write("cancel") { _ = try app.outbox.cancel(untouched.identity, in: $0) }
        drop(untouched.identity)
    }

    /// Asks the service, whose answer was true when it was given, and arrives later.
    private func read(_ app: App, after delay: Duration) {
        Task { [self] in
            let era = model.withLock(\.era)
            let reading = try app.entities.reading()
            try await Task.sleep(for: delay / 2)
            let posts = service.posts
            try await Task.sleep(for: delay / 2)
            try app.entities.keep(posts, of: reading)
            model.withLock { if $0.era == era { $0.read.formUnion(posts.keys) } }
        }
    }

    /// Nobody is signed in for a moment; what the service has of the last user's wishes stays there.
    private func signOut(_ app: App, _ database: AppDatabase) async throws {
        try database.write("sign out") { try app.entities.forgetAll(in: $0) }
        model.withLock { model in
            model.read = []
            model.era += 1
            // What was in work may be there or not: nothing is known of any wish.
            model.wishes = [:]
        }
        // Until what was in work has reached the service, or not.
        try await Task.sleep(for: .seconds(1))
    }

    private func seen(_ app: App, _ database: AppDatabase) throws -> [Post?] {
        try database.read("look") { database in try names.map { try app.entities.entity($0, in: database) } }
    }

    /// Of each field the newest wish is what is seen, and nothing before it was read.
    private func check(_ app: App, _ database: AppDatabase) throws {
        for (name, post) in zip(names, try seen(app, database)) {
            let (wishes, isRead) = model.withLock { ($0.wishes[name] ?? [], $0.read.contains(name)) }
            #expect((post != nil) == isRead, "what was read in this sign-in is there, and nothing else")
            guard let post else { continue }
            for wish in wishes.reversed() {
                guard case .like(let isLiked) = wish.kind else { continue }
                #expect(post.isLiked == isLiked, "the newest like is seen")
                break
            }
            for wish in wishes.reversed() {
                guard case .edit(let text) = wish.kind else { continue }
                #expect(post.text == text, "the newest text is seen")
                break
            }
        }
    }
}
