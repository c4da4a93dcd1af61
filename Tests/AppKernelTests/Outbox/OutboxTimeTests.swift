import AppKernel
import Simulation
import Testing

@Suite("Outbox worker in time")
struct OutboxTimeTests {
    @Test func `a worker that has nothing to do until it is online goes on as soon as it is`() throws {
        let effect = ScriptedEffect<String>()
        let seen = try Simulation(seed: 1).run {
            let outbox = try Outbox<String>(database: AppDatabase(path: ":memory:"), name: "test")
            let worker = OutboxWorker(outbox: outbox, effect: effect, isOnline: false)
            let running = Task { await worker.run() }
            try outbox.add("x", identity: "a")
            try await Task.sleep(for: .seconds(60))
            let before = effect.identities
            await worker.setOnline(true)
            try await Task.sleep(for: .seconds(1))
            running.cancel()
            await running.value
            return [before, effect.identities]
        }
        #expect(seen == [[], ["a"]])
    }
}
