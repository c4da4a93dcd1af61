import LensScenarios
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

/// A page that loses its socket in the middle of an action, or has it taken over, round after round.
@Suite("A page that comes back, round after round", .simulated(seeds: 1...12))
struct PageRoundTests {
    @Test
    func
        `an action that outlives its socket is answered to the page that asks again, and it goes on as before`()
        async throws
    {
        let world = try await PageWorld.start()
        var page = try await world.open()
        for round in 1...4 {
            // A start waits for the model, which is out of reach for a while.
            world.world.network.stall(from: "phone", to: "gemini", for: .seconds(8))
            let start = #"{"start":{}}"#
            let id = try await page.begin("stream", start)
            try await Task.sleep(for: .milliseconds(.random(in: 50...3_000)))
            let former = page
            switch Int.random(in: 0...2) {
            case 0: world.world.network.reset("browser", "phone")
            case 1: await former.socket.close(.abnormal)
            default: break
            }
            // Where the former socket is still there, this one takes over.
            page = try await world.open(#"{"page":"\#(former.id)"}"#)
            #expect(page.id == former.id && page.frames.first?.welcome?["resumed"] as? Bool == true)
            let patience = page.closes(after: .seconds(120))
            try await page.repeat(id, "stream", start)
            await #expect(throws: (any Error).self) { try await former.frame { _ in false } }
            #expect(try await page.frame { $0.id == id }.isDone, "round \(round)")

            // The end of the former socket has no effect on this one: answers and changes come.
            #expect(try await page.act("navigation", #"{"selectTab":{"_0":\#(round % 4)}}"#).isDone)
            try await page.until("navigation") { $0["selectedTab"] as? Int == round % 4 }
            #expect(try await page.act("stream", #"{"stop":{}}"#).isDone)
            try await page.until("stream") { $0["phase"] as? String == "idle" }
            patience.cancel()
            await patience.value
        }
        await page.socket.close(.normal)
    }
}

extension ScriptedPage {
    /// Cuts the socket after a time, so that a page which waits in vain fails.
    func closes(after time: Duration) -> Task<Void, Never> {
        Task { [socket] in
            guard (try? await Task.sleep(for: time)) != nil else { return }
            await socket.close(.abnormal)
        }
    }
}
