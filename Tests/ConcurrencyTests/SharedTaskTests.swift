import Concurrency
import TestSupport
import Testing

@Suite("Shared task", .timeLimit(.minutes(10)))
struct SharedTaskTests {
    /// Work that waits until the gate is open, or it is cancelled; answers whether it was not.
    private func work(_ gate: CurrentValue<Bool>) -> SharedTask<Bool> {
        SharedTask { _ in
            await gate.reaches { $0 }
            return !Task.isCancelled
        }
    }

    @Test func `all that want it receive the one result, also late ones`() async {
        let gate = CurrentValue(false)
        let shared = work(gate)
        async let one = shared.value()
        async let other = shared.observe()
        #expect(!shared.isDone)
        gate.set(true)
        #expect(await one == true)
        #expect(await other == true)
        #expect(await shared.value() == true)
        #expect(shared.isDone && !shared.isAbandoned)
    }

    @Test func `one that is cancelled leaves at once and alone`() async {
        let gate = CurrentValue(false)
        let shared = work(gate)
        let waiters = [
            Task.immediate { await shared.value() }, Task.immediate { await shared.value() },
        ]
        waiters[0].cancel()
        #expect(await waiters[0].value == nil)
        #expect(!shared.isAbandoned)
        gate.set(true)
        #expect(await waiters[1].value == true)
    }

    @Test func `when the last one has left, the work is abandoned and cancelled`() async {
        let shared = work(CurrentValue(false))
        let observer = Task.immediate { await shared.observe() }
        let waiters = [
            Task.immediate { await shared.value() }, Task.immediate { await shared.value() },
        ]
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { #expect(await waiter.value == nil) }
        #expect(shared.isAbandoned)
        await shared.end()
        #expect(await observer.value == false)
    }

    @Test func `one that is cancelled before it waits leaves too, and observers do not count`() async {
        let gate = CurrentValue(false)
        let shared = work(gate)
        let observer = Task.immediate { await shared.observe() }
        observer.cancel()
        #expect(await observer.value == nil)
        #expect(!shared.isAbandoned)
        let late = Task.immediate {
            await gate.reaches { $0 }
            return await shared.value()
        }
        late.cancel()
        #expect(await late.value == nil)
        #expect(shared.isAbandoned)
    }

    @Test func `what has settled is not abandoned any more, and what was abandoned does not settle`() async {
        let (arrived, gate) = (CurrentValue(false), CurrentValue(false))
        let settling = SharedTask { settle in
            let hasSettled = settle()
            arrived.set(true)
            await gate.reaches { $0 }
            return hasSettled && !Task.isCancelled
        }
        await arrived.reaches { $0 }
        let waiter = Task.immediate { await settling.value() }
        waiter.cancel()
        #expect(await waiter.value == nil)
        #expect(!settling.isAbandoned)
        gate.set(true)
        #expect(await settling.value() == true)

        let abandoned = SharedTask { settle in
            await CurrentValue(false).reaches { $0 }
            return settle()
        }
        let only = Task.immediate { await abandoned.value() }
        only.cancel()
        #expect(await only.value == nil)
        #expect(await abandoned.observe() == false)
    }

    @Test func `cancelling it is for all`() async {
        let shared = work(CurrentValue(false))
        let waiter = Task.immediate { await shared.value() }
        shared.cancel()
        #expect(await waiter.value == false)
        #expect(!shared.isAbandoned)
    }
}
