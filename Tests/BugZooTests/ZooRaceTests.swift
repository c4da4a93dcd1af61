import BugZoo
import Exploration
import Foundation
import Simulation
import Testing

@Suite("Races of the zoo")
struct ZooRaceTests {
    /// Bugs of which no order of steps decides whether they show themselves.
    private static let withoutRace: Set = ["failed-flight"]

    private static let names = Zoo.all.filter {
        [.concurrency, .cancellation].contains($0.kind) && !withoutRace.contains($0.name)
    }.map(\.name)

    @Test(arguments: names)
    func `the race that is found is the one that is marked in the source`(_ name: String) throws {
        let program = try #require(Zoo.all.first { $0.name == name })
        let race = try #require(try race(of: program), "\(program.name) has no race")
        #expect(try isMarked(race.early, "early"), "\(program.name): \(race)")
        #expect(try isMarked(race.late, "late"), "\(program.name): \(race)")
    }

    @Test func `a bug that no order of steps decides has no race`() throws {
        for program in Zoo.all where Self.withoutRace.contains(program.name) {
            #expect(try race(of: program) == nil, "\(program.name)")
        }
    }

    private func race(of program: ZooProgram) throws -> Race? {
        let seeds = (1...20_000 as ClosedRange<UInt64>).lazy.map { Recipe(seed: $0, strategy: .portfolio) }
        let found = try #require(seeds.first { program.buggy.run($0).failure != nil })
        let small = try Shrinker(program.buggy, limit: .seconds(300)).shrink(found).shrunk
        let trace = try #require(program.buggy.run(small, recording: .everything).trace)
        // However busy the machine is.
        return program.buggy.race(small, in: trace, limit: .seconds(60))
    }

    /// Whether a mark stands at the line of a side, or at one that has called it.
    private func isMarked(_ side: Race.Side, _ mark: String) throws -> Bool {
        try ([side.place] + side.callers.map(\.place)).contains { place in
            let lines = try String(contentsOfFile: place.file, encoding: .utf8).split(
                separator: "\n",
                omittingEmptySubsequences: false
            )
            let comment = lines[place.line - 1].split(separator: "race: ").last.map(String.init) ?? ""
            return comment == mark || comment == "early, late"
        }
    }
}
