import Argus
import ArgusHub
import Concurrency
import Foundation
import ScreenKit
import ServiceClient
import Services
import SimulatedDevice
import SimulatedPush
import SimulationTesting
import Synchronization
import Testing

@Suite("Settings of Argus", .simulated(seeds: 1...10))
@MainActor
struct SettingsTests {
    @Test("settings say which hub is paired, and how and where it is reached, as that changes")
    func way() async throws {
        let fixture = try await ArgusFixture(token: [1])
        let settings = fixture.screens.settings
        settings.appear()
        await fixture.app.launch()
        await fixture.settle()
        #expect(!settings.state.isPaired && settings.state.hubID == nil)
        #expect(settings.state.way == .relay && settings.state.notifications == .waiting)
        await fixture.find(fixture.found())
        await fixture.enter(fixture.hub.makeCode())
        await fixture.settle(.seconds(3))
        let home = try #require(fixture.app.discovery.localDeviceURL.value)
        #expect(settings.state.isPaired && settings.state.hubID == "hub-1")
        #expect(settings.state.way == .local && settings.state.address == home.description)
        #expect(settings.state.notifications == .registered && settings.state.isSessionKept)
        await fixture.find()
        #expect(settings.state.way == .relay && settings.state.address == "http://\(ArgusFixture.relay)")
        await settings.send(.signOut)
        await fixture.settle()
        #expect(!settings.state.isPaired && settings.state.hubID == nil)
        #expect(fixture.screens.root.state.root == .pairing)
        await fixture.app.shutdown()
    }

    @Test("a session that the store does not keep is said to be one, until a later one is kept")
    func unkept() async throws {
        let fixture = try await ArgusFixture()
        let secrets = FullStore()
        let app = ArgusApp(
            ArgusEnvironment(
                http: fixture.http,
                browser: fixture.browser,
                relay: ServiceAddress("http://\(ArgusFixture.relay)"),
                secrets: secrets,
                push: fixture.push,
                device: SimulatedDeviceInformation()
            )
        )
        let screens = app.makeScreens()
        screens.appear()
        await app.launch()
        func pair() async throws {
            await screens.pairing.send(.setCode(fixture.hub.makeCode()))
            await screens.pairing.send(.submit)
            await fixture.settle(.seconds(3))
            try #require(screens.root.state.root == .events)
        }
        secrets.setFull(true)
        try await pair()
        #expect(!screens.settings.state.isSessionKept && screens.settings.state.isPaired)
        secrets.setFull(false)
        await screens.settings.send(.signOut)
        await fixture.settle()
        try await pair()
        #expect(screens.settings.state.isSessionKept)
        #expect(try secrets.secret(named: KeychainService.sessionName) != nil)
        // The next one is full when the token is renewed.
        secrets.setFull(true)
        try await app.auth.refreshAccessToken()
        await fixture.settle()
        #expect(!screens.settings.state.isSessionKept && screens.settings.state.isPaired)
        screens.disappear()
        await app.shutdown()
        await fixture.app.shutdown()
    }
}

/// A store that has no room for a session while it is full.
private final class FullStore: SecretStore {
    private let base = InMemorySecretStore()
    private let isFull = Mutex(false)

    func setFull(_ isFull: Bool) { self.isFull.withLock { $0 = isFull } }

    func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if name == KeychainService.sessionName, secret != nil, isFull.withLock(\.self) {
            throw .unavailable(detail: "no space left on device")
        }
        try base.set(secret, named: name)
    }
}
