import Concurrency
import ScreenKit
import Testing

@Suite("Sources of screens", .timeLimit(.minutes(10)))
@MainActor
struct ScreenSourceTests {
    @Test func `changes that come while the main actor is busy are one call, which sees the last of them`()
        async
    {
        let source = CurrentValue(0)
        let seen = CurrentValue<[Int]>([])
        let following = source.published.onChange { seen.update { $0.append(source.value) } }
        for await calls in seen.values() where calls == [0] { break }
        // The main actor is busy with these.
        for number in 1...1_000 { source.set(number) }
        for await calls in seen.values() where calls.last == 1_000 { break }
        for _ in 0..<100 { await Task.yield() }
        // The reader may have taken one of them before the others came.
        #expect(seen.value.count <= 3)
        following.cancel()
    }
}
