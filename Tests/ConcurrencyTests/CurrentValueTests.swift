import Concurrency
import Testing

@Suite("Current value", .timeLimit(.minutes(10)))
struct CurrentValueTests {
    @Test(
        "LENS-210 each watcher sees the present value, then every change in order; a cancelled one sees no more"
    )
    func watchers() async {
        let number = CurrentValue(0)
        var early = number.values().makeAsyncIterator()
        number.set(1)
        var late = number.values().makeAsyncIterator()
        number.update { $0 += 1 }
        #expect(await [early.next(), early.next(), early.next()] == [0, 1, 2])
        #expect(await [late.next(), late.next()] == [1, 2])

        let cancelled = Task {
            var seen: [Int] = []
            for await value in number.values() { seen.append(value) }
            return seen
        }
        cancelled.cancel()
        let seen = await cancelled.value
        number.set(3)
        #expect(!seen.contains(3))
        #expect(await late.next() == 3)
    }

    @Test("what is published is read and watched like the value itself")
    func published() async {
        let number = CurrentValue(0)
        let published = number.published
        var watcher = published.values().makeAsyncIterator()
        number.set(1)
        #expect(await [watcher.next(), watcher.next()] == [0, 1])
        #expect(published.value == 1)
    }

    @Test("a watcher that does not read misses the oldest changes, never the newest")
    func bounded() async {
        let number = CurrentValue(0, backlog: 2)
        var watcher = number.values().makeAsyncIterator()
        for value in 1...100 { number.set(value) }
        #expect(await [watcher.next(), watcher.next()] == [99, 100])
    }

    @Test("watching ends with the holder")
    func released() async {
        var number: CurrentValue<Int>? = CurrentValue(7)
        var watcher = number?.values().makeAsyncIterator()
        number = nil
        #expect(await watcher?.next() == 7)
        #expect(await watcher?.next() == nil)
    }
}

@Suite("Wake signal", .timeLimit(.minutes(10)))
struct WakeSignalTests {
    @Test("a signal raised before the wait is not lost, and counts once")
    func kept() async {
        let signal = WakeSignal()
        signal.raise()
        signal.raise()
        #expect(await signal.wait(atMost: .seconds(60)) == .raised)
        #expect(await signal.wait(atMost: .zero) == .elapsed)
    }

    @Test("a sleeper is woken")
    func woken() async {
        let signal = WakeSignal()
        async let wake = signal.wait()
        signal.raise()
        #expect(await wake == .raised)
    }

    @Test("time and cancellation end a wait, and a signal after it is kept for the next")
    func ends() async {
        let signal = WakeSignal()
        #expect(await signal.wait(atMost: .milliseconds(1)) == .elapsed)
        let sleeper = Task { await signal.wait() }
        sleeper.cancel()
        #expect(await sleeper.value == .cancelled)
        signal.raise()
        #expect(await signal.wait() == .raised)
    }
}
