import Foundation
import SimulationTesting
import Testing

@testable import AppKernel
@testable import Nova

@Suite("Posts as Nova shows them")
@MainActor
struct ShownPostsTests {
    private func post(_ number: Int, by user: Int, likes: Int) -> Post {
        Post(
            id: "post-\(number)",
            author: User(id: "user-\(user)", username: "name \(Int.random(in: 0...3))"),
            likeCount: likes,
            commentCount: 0,
            isLiked: .random(),
            createdAt: Date(timeIntervalSince1970: 0)
        )
    }

    private func comment(_ number: Int, on post: Int) -> Nova.Comment {
        Nova.Comment(
            id: "comment-\(number)",
            postID: "post-\(post)",
            author: User(id: "user-0"),
            text: "Seen.",
            createdAt: Date(timeIntervalSince1970: 0)
        )
    }

    private func entry(_ number: Int, likes isLiked: Bool) -> OutboxEntry<NovaWork> {
        OutboxEntry(
            id: Int64(number),
            identity: "like-\(number)",
            idempotencyKey: UUID(),
            work: .like(postID: "post-\(number)", isLiked: isLiked),
            state: .pending,
            attempts: 0,
            failures: 0,
            crashes: 0,
            reason: nil,
            due: nil,
            addedAt: Date(timeIntervalSince1970: 0),
            isFinal: false,
            savedCheckpoint: nil
        )
    }

    @Test(
        "a list is what making every post again would show, whatever came, changed, was wished for or done between two looks",
        .simulated(seeds: 1...200)
    )
    func sameAsMadeAgain() {
        // It forgets posts and people, too.
        let store = NovaStore(most: 8)
        var late = [store.begin()]
        var (shown, ids) = (ShownPosts(), [String]())
        var wishes: [Int: Bool] = [:]
        var done: [DoneWork] = []
        for _ in 0..<60 {
            // More than is remembered may happen between two looks.
            for _ in 0..<(Int.random(in: 0..<20) == 0 ? 300 : Int.random(in: 0...2)) {
                let number = Int.random(in: 0..<12)
                // Some readings land after later ones.
                late.append(store.begin())
                let reading = Bool.random() ? store.begin() : late.remove(at: .random(in: late.indices))
                switch Int.random(in: 0..<5) {
                case 0:
                    store.take([post(number, by: number % 10, likes: .random(in: 0...5))], of: reading)
                case 1: store.take(User(id: "user-\(number)", username: "name"), of: reading)
                case 2:
                    done.append(
                        DoneWork(
                            position: Int64(done.count + 1),
                            identity: "done-\(done.count)",
                            effect: .commented(comment(done.count, on: number))
                        )
                    )
                case 3: wishes[number] = [nil, true, false].randomElement() ?? nil
                default:
                    done.append(
                        DoneWork(
                            position: Int64(done.count + 1),
                            identity: "done-\(done.count)",
                            effect: .liked(postID: "post-\(number)", .random())
                        )
                    )
                }
            }
            let entries = wishes.sorted { $0.key < $1.key }.map { entry($0.key, likes: $0.value) }
            _ = store.take(LogState(entries: entries, done: done.suffix(100)))
            if Int.random(in: 0..<4) == 0 {
                ids = (0..<Int.random(in: 0...12)).map { "post-\($0)" }.shuffled()
            }
            #expect(shown.cards(of: ids, in: store) == ids.compactMap { store.post($0) })
        }
    }
}
