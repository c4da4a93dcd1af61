import Dispatch
import Simulation
import Synchronization
import Testing

@Suite("Paced simulations", .timeLimit(.minutes(10)))
struct LivePacedTests {
    private var paced: Simulation.Configuration {
        var configuration = Simulation.Configuration()
        configuration.pace = .real
        configuration.schedule = .firstInFirstOut
        return configuration
    }

    @Test func `virtual time passes like real time, and results from outside come in`() async throws {
        let start = ContinuousClock.now
        let ((sum, virtual), _) = try await Simulation(seed: 1, configuration: paced).runOnOwnThread {
            let simulation = try #require(Simulation.current)
            let before = simulation.now
            async let outside = Simulation.outside { () async -> Int in
                let inside = Simulation.current != nil
                try? await Task.sleep(for: .milliseconds(20))
                return inside ? -1 : 40
            }
            try await Task.sleep(for: .milliseconds(30))
            return (await outside + 2, simulation.now - before)
        }
        #expect(sum == 42)
        #expect(virtual >= .milliseconds(30))
        #expect(ContinuousClock.now - start >= .milliseconds(30))
    }

    @Test func `cancelling the caller cancels what happens outside`() async throws {
        _ = try await Simulation(seed: 1, configuration: paced).runOnOwnThread {
            let task = Task {
                await Simulation.outside { () async -> Bool in
                    do {
                        try await Task.sleep(for: .seconds(600))
                        return false
                    } catch {
                        return true
                    }
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            task.cancel()
            #expect(await task.value)
        }
    }

    @Test func `what handles its cancellation outside uses the platform, wherever the caller is cancelled`()
        async throws
    {
        _ = try await Simulation(seed: 1, configuration: paced).runOnOwnThread {
            let task = Task {
                await Simulation.outside {
                    let isOutside = Mutex(false)
                    await withTaskCancellationHandler {
                        try? await Task.sleep(for: .seconds(600))
                    } onCancel: {
                        DispatchQueue.global().async {}
                        isOutside.withLock { $0 = Simulation.current == nil }
                    }
                    return isOutside.withLock { $0 }
                }
            }
            try await Task.sleep(for: .milliseconds(5))
            task.cancel()
            #expect(await task.value)
        }
    }

    @Test func `in the real world an operation outside just runs`() async {
        #expect(Simulation.isOutsideAvailable)
        #expect(await Simulation.outside { 1 } == 1)
    }
}
