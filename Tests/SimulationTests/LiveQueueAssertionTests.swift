import Dispatch
import Glibc
import Simulation
import Testing

@MainActor private func assertMain() {
    dispatchPrecondition(condition: .onQueue(.main))
    dispatchPrecondition(condition: .onQueueAsBarrier(.main))
}

@Suite("Assertions of queues", .timeLimit(.minutes(10)))
struct LiveQueueAssertionTests {
    @Test func `the main actor is on the main queue, and others are not`() throws {
        try Simulation(seed: 1).run {
            await assertMain()
            dispatchPrecondition(condition: .notOnQueue(.main))
            await Task.detached { dispatchPrecondition(condition: .notOnQueue(.main)) }.value
            let own = DispatchQueue(label: "own")
            own.sync { dispatchPrecondition(condition: .onQueue(own)) }
            dispatchPrecondition(condition: .notOnQueue(own))
        }
    }

    @Test func `an assertion that fails ends the process, with a sentence`() async throws {
        let off = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Simulation(seed: 1).run { dispatchPrecondition(condition: .onQueue(.main)) }
        }
        let offText = String(decoding: try #require(off).standardErrorContent, as: UTF8.self)
        #expect(
            offText.contains("this code must run on the main queue, and is not on the main actor"),
            "\(offText)"
        )
        let on = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Simulation(seed: 1).run { @MainActor in dispatchPrecondition(condition: .notOnQueue(.main)) }
        }
        let onText = String(decoding: try #require(on).standardErrorContent, as: UTF8.self)
        #expect(
            onText.contains("this code must not run on the main queue, and is on the main actor"),
            "\(onText)"
        )
    }

    @Test func `a sleep until a time that has no number traps, and one that was cancelled before does not`()
        async throws
    {
        let text = "Not enough bits to represent the passed value"
        let relative = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Simulation(seed: 1).run { try await Task.sleep(for: .seconds(Int64.max)) }
        }
        #expect(String(decoding: try #require(relative).standardErrorContent, as: UTF8.self).contains(text))
        let absolute = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Simulation(seed: 1).run {
                try await Task.sleep(until: .now + .seconds(Int64.max), clock: .suspending)
            }
        }
        #expect(String(decoding: try #require(absolute).standardErrorContent, as: UTF8.self).contains(text))
        try Simulation(seed: 1).run {
            let cancelled = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await Task.sleep(for: .seconds(Int64.max))
            }
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            let long = Task { try await Task.sleep(for: .seconds(Int64.max / 2)) }
            try await Task.sleep(for: .seconds(1))
            long.cancel()
            await #expect(throws: CancellationError.self) { try await long.value }
        }
    }
}
