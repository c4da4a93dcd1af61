import Concurrency
import Simulation
import SimulationTesting
import Testing

@Suite("Single flight", .simulated(seeds: 1...50))
struct SingleFlightTests {
    @Test func `who asks while work is under way gets its outcome, and who asks after it begins another`()
        async throws
    {
        let flight = SingleFlight<Int>()
        let begun = CurrentValue(0)
        let work: @Sendable () async -> Int = {
            let number = begun.update { count in
                count += 1
                return count
            }
            try? await Task.sleep(for: .milliseconds(100))
            return number
        }
        let first = (0..<5).map { _ in Task { await flight.run(work) } }
        for task in first { #expect(await task.value == 1) }
        #expect(await flight.run(work) == 2)
    }

    @Test func `one that is cancelled leaves alone, whenever that is, and the others get an outcome`()
        async throws
    {
        let flight = SingleFlight<Int>()
        let tasks = (0..<6).map { _ in
            Task {
                await flight.run {
                    try? await Task.sleep(for: .milliseconds(20))
                    return 7
                }
            }
        }
        let leaving = Set((0..<3).map { _ in Int.random(in: 0..<6) })
        if Bool.random() { try await Task.sleep(for: .milliseconds(Int.random(in: 0...30))) }
        for number in leaving { tasks[number].cancel() }
        for (number, task) in tasks.enumerated() {
            let value = await task.value
            #expect(value == 7 || leaving.contains(number) && value == nil, "\(number)")
        }
    }
}

@Suite("A deadline", .simulated(seeds: 1...20))
struct DeadlineTests {
    @Test func `work that is done in time gives its value, and other work is cancelled and left`()
        async throws
    {
        let wasCancelled = CurrentValue(false)
        #expect(await withDeadline(.seconds(1)) { 7 } == 7)
        let start = ContinuousClock.now
        let late = await withDeadline(.seconds(1)) {
            do { try await Task.sleep(for: .seconds(10)) } catch { wasCancelled.set(true) }
            return 7
        }
        #expect(late == nil && ContinuousClock.now - start < .milliseconds(1100))
        try await Task.sleep(for: .milliseconds(10))
        #expect(wasCancelled.value)
    }

    @Test func `work that does not obey its cancellation holds nobody up`() async throws {
        let start = ContinuousClock.now
        let value = await withDeadline(.seconds(1)) {
            await Task { try? await Task.sleep(for: .seconds(60)) }.value
            return 7
        }
        #expect(value == nil && ContinuousClock.now - start < .milliseconds(1100))
        try await Task.sleep(for: .seconds(70))
    }

    @Test func `a caller that is cancelled gets nothing at once`() async throws {
        let task = Task {
            await withDeadline(.seconds(100)) {
                try? await Task.sleep(for: .seconds(50))
                return 7
            }
        }
        try await Task.sleep(for: .seconds(1))
        let start = ContinuousClock.now
        task.cancel()
        #expect(await task.value == nil && ContinuousClock.now - start < .milliseconds(100))
    }
}
