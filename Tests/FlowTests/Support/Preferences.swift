import AppKernel
import Services

extension PreferenceStore where Self == SQLitePreferenceStore {
    /// Preferences that end with the test.
    static func inMemory() throws -> SQLitePreferenceStore {
        try SQLitePreferenceStore(AppDatabase(path: ":memory:"))
    }
}
