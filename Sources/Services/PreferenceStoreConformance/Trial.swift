import Conformance
import Services

/// A store on trial, with its harness at hand.
struct Trial: Sendable {
    let store: any PreferenceStore
    let reopened: @Sendable () async throws -> Trial
    let crashed:
        @Sendable (Int, @escaping @Sendable (any PreferenceStore) throws -> Void) async throws -> Trial
    let breakDown: @Sendable () async throws -> Void
    let heal: @Sendable () async throws -> Void
    let takeDown: @Sendable () async -> Void

    static func make(_ harness: some PreferenceStoreHarness) async throws -> Trial {
        make(of: try await harness.makeStore(), harness)
    }

    private static func make<Harness: PreferenceStoreHarness>(
        of store: Harness.Store,
        _ harness: Harness
    ) -> Trial {
        Trial(
            store: store,
            reopened: { make(of: try await harness.reopen(store), harness) },
            crashed: { make(of: try await harness.crash(store, atMoment: $0, of: $1), harness) },
            breakDown: { try await harness.breakDown(store) },
            heal: { try await harness.heal(store) },
            takeDown: { await harness.takeDown(store) }
        )
    }

    /// Reads something, which must succeed.
    func read(_ name: String) throws -> String? {
        try requireSuccess("“\(name)” can be read") { try store.value(for: name) }
    }

    /// Stores something, which must succeed.
    func set(_ values: [String: String?]) throws {
        try requireSuccess("values can be stored") { try store.set(values) }
    }

    /// Checks what the store holds under some names, byte for byte.
    func expect(_ values: [String: String?], _ requirement: String) throws {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let read = try read(name)
            // Strings of the same letters are equal, however they are written.
            try require(
                read.map { Array($0.utf8) } == value.map { Array($0.utf8) },
                requirement,
                saw: "\(Self.words(read)) for “\(name)”, not \(Self.words(value))"
            )
        }
    }

    private static func words(_ value: String?) -> String {
        guard let value else { return "nothing" }
        return value.count > 40 ? "\(value.utf8.count) bytes" : "“\(value)”"
    }

    /// Does what must fail, and returns the error.
    func failing(_ requirement: String, _ work: () throws -> Void) throws -> PreferenceStoreError {
        do { try work() } catch let error as PreferenceStoreError { return error }
        throw ConformanceFailure(requirement, saw: "success")
    }
}
