import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import LiveTransport

/// Connections that fill, are chosen, say how they give up, and end, in any order.
@Suite("A model of the shares of a listener's budget", .timeLimit(.minutes(5)))
struct MemoryShareModelTests {
    private static let capacity = 1_000

    /// One connection, and what it has not answered yet.
    private final class Connection: Sendable {
        let share: MemoryShare
        /// The calls that ask for what it holds, until each is answered.
        let asked = Box<[@Sendable () -> Void]>([])
        let hasGiver = Box(false)
        let hasEnded = Box(false)

        init(_ budget: InputBudget) {
            share = budget.share()
            share.keep(ObjectIdentifier(share)) { [share] in share.remove(share.held) }
        }

        func sayHowToGiveUp(on loop: any EventLoop) {
            guard !hasGiver.value, !hasEnded.value else { return }
            hasGiver.set(true)
            share.whenGivenUp(on: loop) { [asked] done in asked.append(done) }
        }

        /// Gives up all that it holds.
        func answer() {
            let calls = asked.value
            asked.set([])
            guard !calls.isEmpty else { return }
            share.remove(share.held)
            for done in calls { done() }
        }

        func end() {
            guard !hasEnded.value else { return }
            hasEnded.set(true)
            share.end()
        }
    }

    @Test(
        "in whatever order connections fill, are chosen, say how they give up and end, the memory is within its capacity once all have answered"
    )
    func orders() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        func settle() async throws { for _ in 0..<3 { try await loop.submit {}.get() } }
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            let budget = InputBudget(capacity: Self.capacity) { .uptimeNanoseconds(0) }
            var connections: [Connection] = []
            for round in 0..<3 {
                for _ in 0..<30 {
                    let one = connections.filter { !$0.hasEnded.value }.randomElement(using: &random)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0, 1: connections.append(Connection(budget))
                    case 2..<6: one?.share.add(Int.random(in: 1...800, using: &random))
                    case 6: if let one { one.share.remove(one.share.held) }
                    case 7: one?.sayHowToGiveUp(on: loop)
                    case 8: one?.answer()
                    default: one?.end()
                    }
                    if Bool.random(using: &random) { try await settle() }
                }
                // Half of them end, the others answer.
                for connection in connections {
                    if Bool.random(using: &random) { connection.end() }
                    connection.sayHowToGiveUp(on: loop)
                }
                for _ in 0..<10 {
                    try await settle()
                    for connection in connections where !connection.hasEnded.value { connection.answer() }
                }
                try await settle()
                #expect(budget.held <= Self.capacity, "seed \(seed), round \(round)")
                #expect(budget.held == connections.reduce(0) { $0 + $1.share.held }, "seed \(seed)")
            }
        }
    }
}
