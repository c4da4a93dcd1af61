import Conformance
import Services

/// What a case needs of a harness, with the kind of store left out.
struct Bench: Sendable {
    let canChange: Bool
    /// A new store that holds secrets.
    let make: @Sendable ([String: Secret]) async throws -> Trial

    init<Harness: SecretStoreHarness>(_ harness: Harness) {
        canChange = harness.capabilities.contains(.changes)
        make = { secrets in Trial.make(try await harness.makeStore(holding: secrets), harness) }
    }
}

/// A store on trial, with its harness at hand.
struct Trial: Sendable {
    let store: any SecretStore
    let reopened: @Sendable () async throws -> Trial
    let breakDown: @Sendable () async throws -> Void
    let heal: @Sendable () async throws -> Void
    let files: @Sendable () async throws -> [String: [UInt8]]

    static func make<Harness: SecretStoreHarness>(_ store: Harness.Store, _ harness: Harness) -> Trial {
        Trial(
            store: store,
            reopened: { make(try await harness.reopen(store), harness) },
            breakDown: { try await harness.breakDown(store) },
            heal: { try await harness.heal(store) },
            files: { try await harness.files(of: store) }
        )
    }

    /// Reads something, which must succeed.
    func read(_ name: String) throws -> String? {
        do throws(SecretStoreError) { return try store.secret(named: name)?.reveal() } catch {
            throw ConformanceFailure("“\(name)” can be read", saw: error.description)
        }
    }

    /// Stores something, which must succeed.
    func set(_ value: String?, _ name: String) throws {
        do throws(SecretStoreError) { try store.set(value.map { Secret($0) }, named: name) } catch {
            throw ConformanceFailure("“\(name)” can be stored", saw: error.description)
        }
    }

    /// Checks what the store holds under a name.
    func expect(_ value: String?, _ name: String) throws {
        let read = try read(name)
        guard read != value else { return }
        throw ConformanceFailure(
            "“\(name)” is \(value.map { "the \($0.utf8.count) bytes that were stored" } ?? "absent")",
            saw: read.map { "\($0.utf8.count) other bytes" } ?? "nothing"
        )
    }

    /// Does what must fail, and returns the error.
    func failing(_ requirement: String, _ work: () throws(SecretStoreError) -> Void) throws
        -> SecretStoreError
    {
        do throws(SecretStoreError) { try work() } catch { return error }
        throw ConformanceFailure(requirement, saw: "success")
    }
}
