import AppKernel
import Concurrency
import Lens
import Services
import SimulatedDisk
import Simulation
import Synchronization
import Testing

@Suite("Settings and queue under power cuts")
struct SettingsPowerCutTests {
    /// What was confirmed before the power went.
    private final class Confirmed: Sendable {
        let settings = Mutex(0)
        let queue = Mutex(0)
    }

    private struct Found: Equatable {
        var settings: LensSettings
        var queue: [String]
    }

    /// Three settings that are changed at once.
    private static func change(_ number: Int, _ settings: inout LensSettings) {
        settings.framesPerSecond = 10 + number
        settings.videoResolution = number.isMultiple(of: 2) ? .hd1080 : .hd720
        settings.autoUpload = !number.isMultiple(of: 2)
    }

    private static func expected(_ number: Int) -> LensSettings {
        var settings = LensSettings()
        change(number, &settings)
        return settings
    }

    private static func open(_ disk: SimulatedDisk) throws -> (AppDatabase, SettingsStore, Outbox<Numbered>) {
        let database = try AppDatabase(path: disk.databasePath("lens.sqlite"))
        let settings = try SettingsStore(SQLitePreferenceStore(database))
        return (database, settings, try Outbox(database: database, name: "work"))
    }

    /// Changes settings and queue until the power goes, and returns what was confirmed and what is there.
    private static func cut(seed: UInt64, _ conditions: DiskConditions) throws -> (
        settings: Int, queue: Int, found: Found
    ) {
        try Simulation(seed: seed).run {
            let phone = try #require(Simulation.current).node("phone")
            let disk = SimulatedDisk(node: phone)
            try await phone.run {
                let (database, settings, _) = try open(disk)
                settings.update { change(0, &$0) }
                try database.close()
            }
            disk.conditions = conditions
            disk.powerOff(atChange: .random(in: 1...90))
            let confirmed = Confirmed()
            try? await phone.run {
                let (_, settings, queue) = try open(disk)
                for number in 1...7 {
                    settings.update { change(number, &$0) }
                    guard settings.failure.value == nil else { return }
                    confirmed.settings.withLock { $0 = number }
                    try queue.add(Numbered(text: "work \(number)"), identity: "\(number)")
                    confirmed.queue.withLock { $0 = number }
                }
            }
            phone.crash()
            disk.conditions = DiskConditions()
            disk.keepPower()
            phone.restart()
            let found = try await phone.run {
                let (_, settings, queue) = try open(disk)
                if let failure = settings.failure.value { throw failure }
                return Found(settings: settings.current.value, queue: try queue.entries().map(\.work.text))
            }
            return (confirmed.settings.withLock { $0 }, confirmed.queue.withLock { $0 }, found)
        }
    }

    private static func isOldOrNew(_ run: (settings: Int, queue: Int, found: Found)) -> Bool {
        let settings = [run.settings, run.settings + 1].map(expected)
        let queues = [run.queue, run.queue + 1].map { count in (0..<count).map { "work \($0 + 1)" } }
        return settings.contains(run.found.settings) && queues.contains(run.found.queue)
    }

    @Test(
        "LENS-206 after a kill in the middle of a write settings and queue are as before or as they were to be, never a mix"
    )
    func atomic() throws {
        var interrupted = 0
        for seed in 1...150 as ClosedRange<UInt64> {
            let run = try Self.cut(seed: seed, .losingUnsyncedWrites)
            #expect(Self.isOldOrNew(run), "seed \(seed): \(run)")
            if run.queue < 7 { interrupted += 1 }
        }
        #expect(interrupted > 75, "the power goes in the middle")
    }

    @Test func `with a disk that ignores syncs, changes are lost`() {
        var conditions = DiskConditions.losingUnsyncedWrites
        conditions[.ignoredSync] = 1
        let lost = (1...60 as ClosedRange<UInt64>).filter { seed in
            (try? Self.cut(seed: seed, conditions)).map(Self.isOldOrNew) != true
        }
        #expect(lost.count > 10, "the check notices what a disk forgets")
    }
}

private struct Numbered: OutboxWork {
    typealias Receipt = String
    var text: String
}
