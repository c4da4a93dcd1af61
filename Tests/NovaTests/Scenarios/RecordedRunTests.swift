import Exploration
import Foundation
import GRDB
import NovaReplay
import NovaScenarios
import PageKit
import ScenarioKit
import SessionPage
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Recordings of scenarios")
struct RecordedRunTests {
    private func record(_ seed: UInt64, to path: String) throws -> SeedOutcome {
        var scenario = NovaLikes()
        scenario.rounds = 12
        return try scenario.record(Recipe(seed: seed), to: path)
    }

    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func `have what screens showed, and the run is the one that it is without a recording`(_ seed: UInt64)
        throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("likes.lenssession")
        let recorded = try record(seed, to: path)
        var scenario = NovaLikes()
        scenario.rounds = 12
        let plain = scenario.runSimulated(Recipe(seed: seed))
        #expect(recorded.failure == nil && recorded.report?.hash == plain.report?.hash)
        #expect(recorded.report?.steps == plain.report?.steps)
        let session = try SessionReader(path: path)
        let screens = try session.screens()
        #expect(Set(screens.map(\.screen)).isSuperset(of: ["root", "feed", "post", "profile"]))
        #expect(screens.contains { $0.screen == "root" && $0.json.contains(#""root":"main""#) })
        #expect(screens.count { $0.screen == "feed" } > 5)
        #expect(zip(screens, screens.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
        // The page of Nova understands all of it.
        _ = try ReplayPageServer(.nova, session, token: PageToken())
        let report = try session.replay(with: .nova)
        #expect(report.isSame && report.compared > screens.count, "\(report)")
    }

    @Test(arguments: [1, 3, 40])
    func `that were cut off are the same until there`(_ rows: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("likes.lenssession")
        _ = try record(2, to: path)
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(
                sql: """
                    DELETE FROM fact WHERE name = 'outcome';
                    DELETE FROM screen WHERE id > (SELECT max(id) FROM screen) - \(rows);
                    """
            )
        }
        try queue.close()
        let report = try SessionReader(path: path).replay(with: .nova)
        #expect(report.isSame && report.cutOffAt != nil, "\(report)")
    }

    @Test func `with other states than the run has are reported to differ`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("likes.lenssession")
        _ = try record(1, to: path)
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            try database.execute(
                sql: """
                    UPDATE screen SET json = replace(json, '"root":"main"', '"root":"signIn"')
                    WHERE name = 'root' AND json LIKE '%"root":"main"%'
                    """
            )
        }
        try queue.close()
        let report = try SessionReader(path: path).replay(with: .nova)
        #expect(!report.isSame)
        let difference = try #require(report.firstDifference)
        #expect(difference.place.contains("screen root") && difference.recorded == #""signIn""#)
    }
}
