import AppKernel
import Concurrency
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import Synchronization
import Testing

@Suite("Screens and slow disks", .timeLimit(.minutes(5)))
@MainActor
struct LiveSlowDiskTests {
    /// Begins an action whose disk is slow; the disk goes on once the screens are free again.
    private func begin(
        _ disk: StoppedDisk,
        _ action: @escaping @MainActor @Sendable () async -> Void
    ) -> Task<Void, Never> {
        disk.stop()
        let acting = Task.immediate { await action() }
        disk.goOn()
        return acting
    }

    @Test func `a slow store of keys keeps no screen waiting, and a key is shown in every window`()
        async throws
    {
        let disk = StoppedDisk()
        let fixture = try AppFixture { $0.secrets = SlowSecrets(inner: InMemorySecretStore(), disk: disk) }
        let (screen, other) = (SettingsScreen(fixture.app), SettingsScreen(fixture.app))
        disk.stop()
        screen.appear()
        other.appear()
        await NavigationScreen(isLaunched: fixture.app.isLaunched) { _ in false }.send(.selectTab(.chat))
        disk.goOn()
        await begin(disk) { await screen.send(.saveKey(EnteredSecret("abc"))) }.value
        #expect(screen.state.maskedKey == SettingsScreen.mask)
        await other.states.reaches { $0.maskedKey == SettingsScreen.mask }
        await begin(disk) { await screen.send(.deleteKey) }.value
        #expect(screen.state.maskedKey == "")
        #expect(disk.passed >= 2 && disk.givenUp == 0)
    }

    @Test func `settings are shown at once, however slow the disk is on which they are kept`() async throws {
        let disk = StoppedDisk()
        let fixture = try AppFixture {
            $0.preferences = SlowPreferences(inner: $0.preferences, disk: disk)
        }
        let screen = SettingsScreen(fixture.app)
        screen.appear()
        let passed = disk.passed
        disk.stop()
        let changing = Task.immediate { await screen.send(.setFrameRate(9)) }
        #expect(fixture.app.settings.current.value.framesPerSecond == 9)
        disk.goOn()
        await changing.value
        #expect(disk.passed == passed + 1 && disk.givenUp == 0)
        #expect(SettingsStore(try SQLitePreferenceStore(fixture.database)).current.value.framesPerSecond == 9)
    }

    @Test func `of settings that are changed at once the last ones are kept`() async throws {
        let fixture = try AppFixture()
        let screen = SettingsScreen(fixture.app)
        let changes = (1...20).map { rate in Task.immediate { await screen.send(.setFrameRate(rate)) } }
        for change in changes { await change.value }
        #expect(
            SettingsStore(try SQLitePreferenceStore(fixture.database)).current.value.framesPerSecond == 20
        )
    }

    @Test func `a slow disk with a page of the conversation keeps no screen waiting`() async throws {
        let disk = StoppedDisk()
        let fixture = try AppFixture()
        for number in 0...Conversation.window {
            await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("\(number)")))
        }
        try fixture.database.write("slow the table down") {
            $0.add(function: DatabaseFunction("passes", argumentCount: 0) { _ in disk.pass() })
            try $0.execute(
                sql: """
                    ALTER TABLE chatMessage RENAME TO stored;
                    CREATE VIEW chatMessage AS SELECT * FROM stored WHERE passes();
                    """
            )
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        await begin(disk) { await screen.send(.showEarlier) }.value
        #expect(screen.state.messages.map(\.text) == ["0"])
        #expect(disk.passed > 0 && disk.givenUp == 0)
    }

    @Test func `a page of earlier messages that comes late is not shown when the newest were asked for`()
        async throws
    {
        let fixture = try AppFixture()
        for number in 0...Conversation.window {
            await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("\(number)")))
        }
        let screen = ChatScreen(fixture.app)
        screen.appear()
        let earlier = Task.immediate { await screen.send(.showEarlier) }
        await screen.send(.showNewest)
        await earlier.value
        #expect(!screen.state.hasLater && screen.state.messages.last?.text == "\(Conversation.window)")
    }
}

/// Where calls wait while it is closed, as for a slow disk; past a limit they go on, and are counted as given up.
private final class StoppedDisk: Sendable {
    private let state = Mutex((isOpen: true, passed: 0, givenUp: 0))
    var passed: Int { state.withLock { $0.passed } }
    var givenUp: Int { state.withLock { $0.givenUp } }

    func goOn() { state.withLock { $0.isOpen = true } }
    func stop() { state.withLock { $0.isOpen = false } }

    /// Waits with its thread; true, for conditions.
    @discardableResult
    func pass() -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while !state.withLock(\.isOpen) {
            // Given up once, nobody waits again: a page of rows would take an hour to fail.
            guard ContinuousClock.now < end, givenUp == 0 else {
                state.withLock { $0.givenUp += 1 }
                return true
            }
            sched_yield()
        }
        state.withLock { $0.passed += 1 }
        return true
    }
}

private struct SlowSecrets: SecretStore {
    let inner: InMemorySecretStore
    let disk: StoppedDisk

    func secret(named name: String) throws(SecretStoreError) -> Secret? {
        disk.pass()
        return try inner.secret(named: name)
    }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        disk.pass()
        try inner.set(secret, named: name)
    }
}

private struct SlowPreferences: PreferenceStore {
    let inner: any PreferenceStore
    let disk: StoppedDisk

    func value(for name: String) throws(PreferenceStoreError) -> String? {
        disk.pass()
        return try inner.value(for: name)
    }

    func set(_ values: [String: String?]) throws(PreferenceStoreError) {
        disk.pass()
        try inner.set(values)
    }
}
