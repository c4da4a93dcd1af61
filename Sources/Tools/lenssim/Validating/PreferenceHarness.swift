import AppKernel
import ArgumentParser
import CommandKit
import Conformance
import Foundation
import PreferenceStoreConformance
import Services

extension ValidateCommand {
    /// Runs the suite on settings in a database file, which is not there before and after.
    func preferences() async throws -> ConformanceReport {
        guard let file else { throw CaseSkipped("no file was given; give --file") }
        let path = URL(filePath: NSString(string: file).expandingTildeInPath).standardizedFileURL.path
        let harness = PreferenceHarness(path: path, capabilities: try capabilities([.survives]))
        if let found = harness.paths.first(where: { FileManager.default.fileExists(atPath: $0) }) {
            throw ValidationError(
                "There is a file \(found) already: --file names a new one, which is removed again."
            )
        }
        // What cannot be made fails once, and not in each case.
        try await harness.takeDown(harness.makeStore())
        return await PreferenceStoreConformance.suite.report(on: harness)
    }
}

/// Settings in a database file of this machine, which each case creates and removes.
private struct PreferenceHarness: PreferenceStoreHarness {
    /// A store that can be closed.
    final class Store: PreferenceStore {
        private let database: AppDatabase
        private let base: SQLitePreferenceStore

        init(_ path: String) throws(DatabaseFailure) {
            database = try AppDatabase(path: path)
            base = try SQLitePreferenceStore(database)
        }

        func value(for name: String) throws(PreferenceStoreError) -> String? { try base.value(for: name) }
        func set(_ values: [String: String?]) throws(PreferenceStoreError) { try base.set(values) }
        func close() throws(DatabaseFailure) { try database.close() }
    }

    let path: String
    let capabilities: Set<PreferenceStoreCapability>
    /// The file, and what SQLite keeps next to it.
    var paths: [String] { ["", "-journal", "-wal", "-shm"].map { path + $0 } }

    func makeStore() async throws -> Store { try Store(path) }

    func reopen(_ store: Store) async throws -> Store {
        try store.close()
        return try Store(path)
    }

    func takeDown(_ store: Store) async {
        do { try store.close() } catch { Terminal().warn("lenssim: \(error)") }
        for path in paths where FileManager.default.fileExists(atPath: path) {
            do { try FileManager.default.removeItem(atPath: path) } catch {
                Terminal().warn("lenssim: \(path) is left: \(error.localizedDescription)")
            }
        }
    }
}
