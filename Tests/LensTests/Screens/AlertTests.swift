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

@Suite("Alerts", .simulated(seeds: 1...5, configuration: .shortWaits))
@MainActor
struct AlertTests {
    private struct Foreign: Error {}

    /// An app in which everything fails.
    private func fixture() async throws -> AppFixture {
        let fixture = try AppFixture(localFailure: .deviceNotFound)
        _ = await fixture.app.launch()
        fixture.network.report(isConnected: false)
        fixture.secrets.fail(with: .unavailable(detail: "/secret/path is locked"))
        return fixture
    }

    /// What a call throws.
    private func error(_ call: () async throws -> Void) async throws -> any Error {
        do { try await call() } catch { return error }
        throw Foreign()
    }

    @Test(
        "LENS-225 an alert is there exactly while there is an error, says what the error says to people, and goes with OK"
    )
    func alerts() async throws {
        let fixture = try await fixture()
        let app = fixture.app
        try await app.camera.switchTo(.veepaWiFi)
        let photo = try await app.capturePhoto().id
        try? await app.camera.switchTo(.local)
        let screens = app.makeScreens()
        screens.appear()
        // Who looks at the camera connects it.
        await screens.camera.states.reaches { $0.alert != nil }

        // Each screen: what fails, and what its error is.
        let camera = try await error { try await app.camera.connect() }
        try await check(screens.camera, camera, .dismissAlert, \.alert) { await $0.send(.start) }
        try await app.camera.switchTo(.veepaWiFi)
        let stream = try await error { try await app.startStreaming() }
        try await check(screens.stream, stream, .dismissAlert, \.alert) { await $0.send(.start) }
        try? await app.chat.send(ChatDraft("Hello"))
        await app.chat.state.reaches { $0.failure != nil }
        let chat = try #require(app.chat.state.value.failure)
        await app.chat.dismissFailure()
        await screens.navigation.send(.selectTab(.chat))
        try await check(screens.chat, chat, .dismissAlert, \.alert) { await $0.send(.say("Hello")) }
        let settings = try await error { try await app.modelKey.write("key") }
        try await check(screens.settings, settings, .dismissAlert, \.alert) {
            await $0.send(.saveKey(EnteredSecret("key")))
        }
        #expect(!settings.localizedDescription.contains("/secret/path"))
        try await check(screens.navigation, DeepLinkError.unknownPlace, .dismissAlert, \.alert) {
            await $0.send(.open("scisymbiolens://nowhere"))
        }
        try fixture.database.write("break") { try $0.execute(sql: "ALTER TABLE mediaItem RENAME TO gone") }
        let gallery = try await error { try await app.gallery.upload(photo) }
        try await check(screens.preview, gallery, .dismissAlert, \.alert) {
            await screens.navigation.send(.present(.mediaPreview(photo)))
            await $0.states.reaches { $0.item?.id == photo }
            await $0.send(.upload)
        }
        await app.gallery.refresh()
        try await check(screens.gallery, gallery, .dismissAlert, \.alert) { await $0.send(.upload(photo)) }
        screens.disappear()
        await app.shutdown()
    }

    private func check<Shown: Screen>(
        _ screen: Shown,
        _ error: any Error,
        _ okay: Shown.Action,
        _ alert: KeyPath<Shown.State, ScreenAlert?>,
        _ fail: (Shown) async -> Void
    ) async throws {
        await screen.send(okay)
        #expect(screen.state[keyPath: alert] == nil, "\(Shown.self) without an error")
        await fail(screen)
        await screen.states.reaches { $0[keyPath: alert] != nil }
        let shown = try #require(screen.state[keyPath: alert], "\(Shown.self) after \(error)")
        #expect(shown.text == error.localizedDescription && !shown.text.isEmpty && !shown.title.isEmpty)
        // As often as it fails, and until it is closed.
        await fail(screen)
        await screen.states.reaches { $0[keyPath: alert] == shown }
        #expect(screen.state[keyPath: alert] == shown)
        await screen.send(okay)
        #expect(screen.state[keyPath: alert] == nil, "\(Shown.self) after OK")
    }
}
