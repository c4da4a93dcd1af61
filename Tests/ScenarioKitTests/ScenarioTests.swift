import Exploration
import Foundation
import ScenarioKit
import Simulation
import TestSupport
import Testing

@Suite("Scenarios")
struct ScenarioTests {
    @Test func `a scenario runs from any seed, each step the same twice`() {
        for seed in 1...20 as ClosedRange<UInt64> {
            let outcome = LetterBox().runSimulated(Recipe(seed: seed), checkingDeterminism: true)
            #expect(outcome.failure == nil)
            #expect(outcome.summary == ScenarioSummary(["letters": 3, "sockets": 0]))
        }
        let hashes = Set(
            (1...20 as ClosedRange<UInt64>).map { LetterBox().runSimulated(Recipe(seed: $0)).report?.hash }
        )
        #expect(hashes.count == 20)
    }

    @Test func `settings decide the run`() {
        var scenario = LetterBox()
        scenario.letters = 7
        #expect(
            scenario.runSimulated(Recipe(seed: 1)).summary == ScenarioSummary(["letters": 7, "sockets": 0])
        )
        scenario.lost = 5
        let outcome = scenario.runSimulated(Recipe(seed: 1))
        #expect(outcome.summary == nil)
        #expect(outcome.failure?.contains("“every letter arrives once”: 6 of 7") == true, "\(outcome)")
    }

    @Test func `a property that is violated fails the scenario, with its seed and position`() {
        let outcome = Failing().runSimulated(Recipe(seed: 9, stalls: false))
        #expect(outcome.summary == nil)
        #expect(outcome.failure?.contains("sums are right") == true)
        #expect(outcome.failure?.contains("seed 9") == true)
        #expect(outcome.failure?.contains("1.000000 s") == true)
        #expect(outcome.report?.time == .seconds(1))
    }

    @Test func `a scenario can be explored, and its program names its settings and what it expects`()
        async throws
    {
        var scenario = LetterBox()
        scenario.lost = 2
        scenario.isStamped = false
        let program = scenario.program
        #expect(program.command == "lenssim run letter-box --no-stamped --lost 2")
        #expect(program.code?.module == "ScenarioKitTests")
        #expect(program.code?.besides == ["ScenarioKit"])
        #expect(
            program.code?.expression
                == #"LetterBox(settings: ["lost": "2", "stamped": "false"]).program"#
        )
        #expect(LetterBox().program.code?.expression == "LetterBox().program")
        var sweep = Sweep(program, seeds: 1...3, jobs: 1, keepsGoing: true)
        sweep.isolation = .none
        let failed = try sweep.run()
        #expect(failed.failedRuns == 3)
        sweep = Sweep(LetterBox().program, seeds: 1...50, jobs: 1)
        sweep.isolation = .none
        let passed = try sweep.run()
        #expect(passed.failedRuns == 0)
        #expect(passed.neverReached.isEmpty)
    }

    @Test func `a catalogue knows the scenarios of several apps, and nothing else`() throws {
        let both = ScenarioCatalogue([LetterBox.self]) + ScenarioCatalogue([Failing.self])
        #expect(both.scenarios.map { $0.name } == ["letter-box", "failing"])
        #expect(both.scenario(named: "failing")?.summary == Failing.summary)
        #expect(both.scenario(named: "letter") == nil)
    }
}
