import AppKernel
import Conformance
import PreferenceStoreConformance
import Services
import SimulatedDisk
import Simulation
import TestSupport

/// Settings in a database in memory, which ends with the program.
struct MemoryDatabaseHarness: PreferenceStoreHarness {
    func makeStore() async throws -> SQLitePreferenceStore {
        try SQLitePreferenceStore(AppDatabase(path: ":memory:"))
    }
}

/// A store with its place.
final class PlacedPreferences<Place: Sendable>: PreferenceStore {
    let place: Place
    private let database: AppDatabase
    private let store: SQLitePreferenceStore

    init(_ place: Place, path: String) throws(DatabaseFailure) {
        self.place = place
        database = try AppDatabase(path: path)
        store = try SQLitePreferenceStore(database)
    }

    func value(for name: String) throws(PreferenceStoreError) -> String? { try store.value(for: name) }
    func set(_ values: [String: String?]) throws(PreferenceStoreError) { try store.set(values) }
    func close() throws(DatabaseFailure) { try database.close() }
}

/// Settings in a file of this machine.
struct FilePreferencesHarness: PreferenceStoreHarness {
    let capabilities: Set<PreferenceStoreCapability> = [.survives]

    private func open(_ folder: TemporaryFolder) throws -> PlacedPreferences<TemporaryFolder> {
        try PlacedPreferences(folder, path: folder.file("settings.sqlite"))
    }

    func makeStore() async throws -> PlacedPreferences<TemporaryFolder> { try open(TemporaryFolder()) }

    func reopen(_ store: PlacedPreferences<TemporaryFolder>) async throws -> PlacedPreferences<
        TemporaryFolder
    > {
        try store.close()
        return try open(store.place)
    }
}

/// Settings on a disk whose power goes, and which forgets what was not synced.
struct DiskPreferencesHarness: PreferenceStoreHarness {
    /// A disk on a node of its own.
    struct Place: Sendable {
        let phone: Node
        let disk: SimulatedDisk
    }

    let capabilities = Set(PreferenceStoreCapability.allCases)
    /// What the disk does when the power goes.
    var conditions = DiskConditions.losingUnsyncedWrites

    private func open(_ place: Place) throws -> PlacedPreferences<Place> {
        try PlacedPreferences(place, path: place.disk.databasePath("settings.sqlite"))
    }

    func makeStore() async throws -> PlacedPreferences<Place> {
        guard let simulation = Simulation.current else { preconditionFailure("the disk is simulated") }
        let phone = simulation.node("phone \(Int.random(in: 0..<1_000_000_000))")
        let disk = SimulatedDisk(node: phone)
        disk.conditions = conditions
        return try open(Place(phone: phone, disk: disk))
    }

    func reopen(_ store: PlacedPreferences<Place>) async throws -> PlacedPreferences<Place> {
        try store.close()
        return try open(store.place)
    }

    /// A moment is two changes of the disk, of which a change of settings takes several.
    func crash(
        _ store: PlacedPreferences<Place>,
        atMoment moment: Int,
        of changes: @escaping @Sendable (any PreferenceStore) throws -> Void
    ) async throws -> PlacedPreferences<Place> {
        let place = store.place
        place.disk.powerOff(atChange: UInt64(2 * moment))
        // It fails once the power has gone.
        try? changes(store)
        place.disk.keepPower()
        place.disk.powerOff()
        place.phone.restart()
        return try open(place)
    }

    func breakDown(_ store: PlacedPreferences<Place>) async throws {
        for fault in [DiskFault.readError, .writeError] { store.place.disk.conditions[fault] = 1 }
    }

    func heal(_ store: PlacedPreferences<Place>) async throws {
        for fault in [DiskFault.readError, .writeError] { store.place.disk.conditions[fault] = 0 }
    }
}
