import GRDB
import ScenarioKit
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Recordings of scenarios")
struct RecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A recorded run, with its settings as the test wants them.
    private func recorded(
        _ scenario: LetterBox = LetterBox(),
        changing name: String? = nil,
        to value: String = ""
    ) throws -> SessionReader {
        let path = folder.file("letters.lenssession")
        _ = try scenario.record(Recipe(seed: 5), to: path)
        if let name {
            let queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(
                    sql: """
                        UPDATE fact SET value = json_set(value, '$.parameters.' || ?, ?) WHERE name = 'manifest'
                        """,
                    arguments: [name, value]
                )
            }
            try queue.close()
        }
        return try SessionReader(path: path)
    }

    @Test func `a recorded run replays to the same hash, with its settings`() throws {
        var scenario = LetterBox()
        scenario.letters = 9
        let session = try recorded(scenario)
        let report = try session.replay(with: .tiny)
        #expect(report.isSame)
        #expect(report.compared > 9)
        #expect(report.hashes?.replayed == scenario.runSimulated(Recipe(seed: 5)).report?.hash)
        #expect(try session.scenario(in: .tiny).settingTexts["letters"] == "9")
    }

    @Test func `a recorded run has each state of the newest window once, with its time`() throws {
        let path = folder.file("windows.lenssession")
        let outcome = try TwoWindows().record(Recipe(seed: 5), to: path)
        let session = try SessionReader(path: path)
        let screens = try session.screens()
        #expect(screens.map(\.json) == [0, 1, 2, 0, 7, 8].map { #"{"number":\#($0)}"# })
        #expect(screens.allSatisfy { $0.screen == "page" && $0.kind == .state })
        #expect(screens[2].nanoseconds < 1_000_000_000 && screens[3].nanoseconds >= 1_000_000_000)
        let plain = TwoWindows().runSimulated(Recipe(seed: 5)).report
        #expect(outcome.report?.hash == plain?.hash && outcome.report?.steps == plain?.steps)
        let report = try session.replay(with: .tiny)
        #expect(report.isSame && report.compared == screens.count, "\(report)")
    }

    @Test func `a run that does something else now differs, and the first difference is named`() throws {
        let report = try recorded(changing: "letters", to: "4").replay(with: .tiny)
        #expect(!report.isSame)
        #expect(report.firstDifference?.recorded == "nothing more", "\(report)")
        #expect(report.firstDifference?.place.hasSuffix("on node box") == true, "\(report)")
        #expect(report.firstDifference?.replayed.contains("message phone box") == true, "\(report)")
    }

    @Test func `a failure that was recorded happens again, and one that is mended is a difference`() throws {
        var scenario = LetterBox()
        scenario.lost = 2
        #expect(try recorded(scenario).replay(with: .tiny).isSame)
        let report = try recorded(scenario, changing: "lost", to: "0").replay(with: .tiny)
        #expect(report.endings?.recorded.contains("every letter arrives once") == true)
        #expect(report.endings?.replayed == "succeeded")
    }

    @Test func `a recorded setting that the scenario does not have is refused by name`() throws {
        let session = try recorded(changing: "stampd", to: "true")
        #expect {
            try session.replay(with: .tiny)
        } throws: { error in
            "\(error)".hasSuffix("letter-box has no setting “stampd”. Did you mean “stamped”?")
                && "\(error)".contains(session.path)
        }
    }

    @Test func `a recorded setting that no run can have is damage`() throws {
        let session = try recorded(changing: "letters", to: "1000000")
        #expect {
            try session.replay(with: .tiny)
        } throws: { error in
            guard case .damaged(session.path, let detail)? = error as? SessionError else { return false }
            return detail == "its setting letters is “1000000”, and may be 1 to 100"
        }
    }

    @Test func `a session of a scenario that the catalogue does not have is refused by name`() throws {
        #expect {
            try recorded().replay(with: ScenarioCatalogue([Failing.self]))
        } throws: { error in
            "\(error)".contains("“letter-box”")
        }
    }
}
