import Conformance
import Services

/// A store on trial, with its harness at hand.
struct Trial: Sendable {
    let store: any SecretStore
    let reopened: @Sendable () async throws -> Trial
    let breakDown: @Sendable () async throws -> Void
    let heal: @Sendable () async throws -> Void
    let files: @Sendable () async throws -> [String: [UInt8]]

    static func make(_ secrets: [String: Secret], _ harness: some SecretStoreHarness) async throws -> Trial {
        make(of: try await harness.makeStore(holding: secrets), harness)
    }

    private static func make<Harness: SecretStoreHarness>(
        of store: Harness.Store,
        _ harness: Harness
    ) -> Trial {
        Trial(
            store: store,
            reopened: { make(of: try await harness.reopen(store), harness) },
            breakDown: { try await harness.breakDown(store) },
            heal: { try await harness.heal(store) },
            files: { try await harness.files(of: store) }
        )
    }

    /// Reads something, which must succeed.
    func read(_ name: String) throws -> String? {
        try requireSuccess("“\(name)” can be read") { try store.secret(named: name)?.reveal() }
    }

    /// Stores something, which must succeed.
    func set(_ value: String?, _ name: String) throws {
        try requireSuccess("“\(name)” can be stored") {
            try store.set(value.map { Secret($0) }, named: name)
        }
    }

    /// Checks what the store holds under a name.
    func expect(_ value: String?, _ name: String) throws {
        let read = try read(name)
        try require(
            read == value,
            "“\(name)” is \(value.map { "the \($0.utf8.count) bytes that were stored" } ?? "absent")",
            saw: read.map { "\($0.utf8.count) other bytes" } ?? "nothing"
        )
    }

    /// Does what must fail, and returns the error.
    func failing(_ requirement: String, _ work: () throws -> Void) throws -> SecretStoreError {
        do { try work() } catch let error as SecretStoreError { return error }
        throw ConformanceFailure(requirement, saw: "success")
    }
}
