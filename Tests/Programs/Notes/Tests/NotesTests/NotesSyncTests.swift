import Exploration
import NotesWorld
import ScenarioKit
import Simulation
import SimulationTesting
import Testing

@Suite("Notes while things break")
struct NotesSyncTests {
    @Test(.simulated(seeds: 1...200))
    func `every note is stored once`() async throws { _ = try await NotesSync().run() }

    @Test(.simulated(seeds: 1...200, configuration: .swarm))
    func `every note is stored once under drawn plans of faults`() async throws {
        _ = try await NotesSync().run()
    }

    @Test func `an app with another key for each attempt is found out, and its run made small`() throws {
        var scenario = NotesSync()
        scenario.keepsKeys = false
        let program = scenario.program
        let found = try #require((1...20).first { program.run(Recipe(seed: $0)).failure != nil })
        let small = try Shrinker(program, limit: .seconds(600)).shrink(Recipe(seed: found))
        #expect(small.after.work == 1 && small.after.faults == 1 && small.after.decisions == 0)
        #expect(program.run(small.shrunk).failure == small.failure)
    }
}

extension Simulation.Configuration {
    /// With a plan of faults that each seed draws.
    static var swarm: Self {
        var configuration = Self()
        configuration.plan = "swarm"
        return configuration
    }
}
