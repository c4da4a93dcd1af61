import Exploration
import LensScenarios
import ScenarioKit
import Simulation
import Testing

@Suite("Files in a world")
struct FileScenarioTests {
    @Test(
        "a file that was uploaded over lost connections is whole, or there is a reason why it cannot be used",
        arguments: [nil, "swarm"]
    )
    func files(plan: String?) {
        let program = LensFiles().program
        var reached: Set<String> = []
        var struck = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            let run = program.run(Recipe(seed: seed, strategy: .portfolio, plan: plan))
            #expect(run.failure == nil, "seed \(seed): \(run.failure?.message ?? "")")
            reached.formUnion(run.report?.checks.filter { $0.hits > 0 }.map(\.name) ?? [])
            struck += run.report?.firings.count { $0.source.contains("gemini.files.failed") } ?? 0
        }
        #expect(reached.isSuperset(of: LensFiles.expects), "\(Set(LensFiles.expects).subtracting(reached))")
        #expect(struck > 0, "files that cannot be processed are met")
    }
}
