import AppKernel
import Concurrency
import Foundation
import GRDB
import Synchronization

/// A post as its service shows it.
struct Post: Codable, Equatable {
    var likes = 0
    var isLiked = false
    var text = ""
}

/// What a user does to a post.
struct PostChange: OptimisticWork, Equatable {
    typealias Receipt = Post
    typealias Failure = WorkFailure

    enum Kind: Codable, Equatable {
        case like(Bool)
        case edit(String)
    }

    var post: String
    var kind: Kind
    var entity: String? { post }
    var lane: String? { post }

    func change(_ post: inout Post) {
        switch kind {
        case .like(let isLiked):
            if post.isLiked != isLiked { post.likes += isLiked ? 1 : -1 }
            post.isLiked = isLiked
        case .edit(let text): post.text = text
        }
    }
}

/// A service with posts that others like too.
final class PostService: Sendable {
    private struct State {
        var posts: [String: Post] = [:]
        var keys: Set<UUID> = []
    }

    private let state = Mutex(State())

    init(_ names: [String]) {
        state.withLock { $0.posts = Dictionary(uniqueKeysWithValues: names.map { ($0, Post()) }) }
    }

    var posts: [String: Post] { state.withLock(\.posts) }

    /// Somebody else likes a post.
    func isLikedByAnother(_ name: String) { state.withLock { $0.posts[name]?.likes += 1 } }

    /// Does a change once, however often it comes.
    func make(_ change: PostChange, key: UUID) -> Post {
        state.withLock { state in
            if state.keys.insert(key).inserted, var post = state.posts[change.post] {
                change.change(&post)
                state.posts[change.post] = post
            }
            return state.posts[change.post] ?? Post()
        }
    }
}

/// Brings changes to the service, late, and not always at the first attempt.
struct PostEffect: OutboxEffect {
    let service: PostService
    let entities: OptimisticEntities<PostChange>

    func perform(_ attempt: OutboxAttempt<PostChange>) async -> OutboxOutcome<PostChange> {
        let outcome = Int.random(in: 0..<10)
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...800)))
        if outcome == 0, attempt.entry.attempts == 1 { return .failed(WorkFailure("403")) }
        if outcome == 1 { return .retry(WorkFailure("503")) }
        let post = service.make(attempt.entry.work, key: attempt.entry.idempotencyKey)
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...800)))
        return outcome == 2 ? .retry(WorkFailure("the answer is lost")) : .done(post)
    }

    func record(_ receipt: Post, of entry: OutboxEntry<PostChange>, in database: Database) throws {
        try entities.record(receipt, of: entry.work, in: database)
    }
}
