import AppKernel
import Concurrency
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Testing

@Suite("Settings screen", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct SettingsScreenTests {
    @Test("LENS-220 settings are read and changed, the key saved, replaced and deleted, and shown as a mask")
    func screen() async throws {
        let secrets = InMemorySecretStore()
        let app = try AppFixture(secrets: secrets).app
        let screen = SettingsScreen(app)
        screen.appear()
        #expect(screen.state.maskedKey == "" && screen.state.settings == LensSettings())
        await screen.send(.saveKey(EnteredSecret("abc")))
        #expect(try secrets.secret(named: "gemini_api_key")?.reveal() == "abc")
        #expect(screen.state.maskedKey == SettingsScreen.mask && screen.state.alert == nil)
        await screen.send(.saveKey(EnteredSecret("other")))
        #expect(try secrets.secret(named: "gemini_api_key")?.reveal() == "other")
        await screen.send(.deleteKey)
        #expect(try secrets.secret(named: "gemini_api_key") == nil && screen.state.maskedKey == "")
        for action in [
            SettingsScreen.Action.setFrameRate(3), .setAutoUpload(true), .setSpeech(false),
            .setResolution(.vga),
        ] { await screen.send(action) }
        var expected = LensSettings()
        expected.framesPerSecond = 3
        expected.autoUpload = true
        expected.speechEnabled = false
        expected.videoResolution = .vga
        #expect(screen.state.settings == expected && app.settings.current.value == expected)
        app.settings.update { $0.framesPerSecond = 8 }
        await screen.states.reaches { $0.settings.framesPerSecond == 8 }
        await screen.send(.setFrameRate(.max))
        #expect(screen.state.settings.framesPerSecond == LensSettings.frameRates.upperBound)
    }

    @Test func `a store of keys that fails is an alert, which the next success closes`() async throws {
        let secrets = InMemorySecretStore()
        let screen = SettingsScreen(try AppFixture(secrets: secrets).app)
        screen.appear()
        secrets.fail(with: .unavailable(detail: "/secret/path is locked"))
        await screen.send(.saveKey(EnteredSecret("def")))
        #expect(screen.state.alert?.title == "The key was not kept")
        #expect("\(screen.state)".contains("/secret/path") == false)
        secrets.fail(with: nil)
        await screen.send(.retry)
        #expect(screen.state.alert == nil && screen.state.maskedKey == SettingsScreen.mask)
    }

    @Test func `settings that cannot be kept are an alert, which goes when the store is well again`()
        async throws
    {
        let fixture = try AppFixture()
        let screen = SettingsScreen(fixture.app)
        screen.appear()
        try fixture.database.write("refuse") {
            try $0.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON preference BEGIN SELECT RAISE(ABORT, 'no'); END
                    """
            )
        }
        await screen.send(.setAutoUpload(true))
        #expect(screen.state.alert?.title == "The setting was not kept")
        #expect(screen.state.settings.autoUpload)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        await screen.send(.setAutoUpload(false))
        #expect(screen.state.alert != nil)
        try fixture.database.write("allow") { try $0.execute(sql: "DROP TRIGGER full") }
        await screen.send(.setAutoUpload(true))
        #expect(screen.state.alert == nil)
    }

    @Test func `a typed secret is read from a page, and is a mask wherever it is written`() throws {
        let action = try JSONDecoder().decode(
            SettingsScreen.Action.self,
            from: Data(#"{"saveKey":{"_0":"AIza-very-secret"}}"#.utf8)
        )
        #expect(action == .saveKey(EnteredSecret("AIza-very-secret")))
        let written = String(decoding: try JSONEncoder().encode(action), as: UTF8.self)
        #expect(written.contains("•") && !written.contains("AIza"))
        var dumped = ""
        dump(action, to: &dumped)
        #expect(!dumped.contains("AIza") && !"\(action)".contains("AIza"))
    }
}
