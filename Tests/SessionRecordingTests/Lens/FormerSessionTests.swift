import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import Simulation
import TestSupport
import Testing

@Suite("Session files of former versions")
struct FormerSessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A recording as it was when every scenario had the same settings, under other names.
    private func former(_ scenario: some LensScenario, seconds: Int, rate: Int) throws -> SessionReader {
        let path = folder.file("former.lenssession")
        #expect(try scenario.record(Recipe(seed: 5), to: path).failure == nil)
        try Forgery(path: path).change(
            """
            UPDATE fact SET value = json_set(value, '$.parameters', json_object('seconds', '\(seconds)',
                'width', '\(scenario.size.width)', 'height', '\(scenario.size.height)', 'streamRate', '\(rate)',
                'prepared', '\(scenario.usesPreparedFrames)')) WHERE name = 'manifest'
            """
        )
        return try SessionReader(path: path)
    }

    @Test func `a session with the names of then replays with its settings`() throws {
        var scenario = LensStreaming()
        scenario.seconds = 2
        scenario.streamRate = 9
        scenario.size.width = 200
        let session = try former(scenario, seconds: 2, rate: 9)
        #expect(try session.scenario(in: .lens).settingTexts == scenario.settingTexts)
        #expect(try session.replay().isSame)
    }

    @Test func `settings that decided nothing in a scenario are passed over`() throws {
        let session = try former(LensCameras(), seconds: 5, rate: 5)
        #expect(session.manifest.parameters["seconds"] == "5")
        #expect(try session.replay().isSame)
    }
}
