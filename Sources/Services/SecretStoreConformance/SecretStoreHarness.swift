public import Conformance
public import Services

/// What the suite needs of a store's author: how to make one, and what it can be made to do.
///
/// Only ``makeStore(holding:)`` and `capabilities` are required:
///
/// ```swift
/// struct MyStoreHarness: SecretStoreHarness {
///     let capabilities: Set<SecretStoreCapability> = [.changes]
///     func makeStore(holding secrets: [String: Secret]) async throws -> some SecretStore { MyStore(secrets) }
/// }
///
/// @Test(arguments: SecretStoreConformance.cases)
/// func conforms(_ test: SecretStoreConformance.Case) async throws {
///     try await test.run(with: MyStoreHarness())
/// }
/// ```
public protocol SecretStoreHarness: Harness where Capability == SecretStoreCapability {
    associatedtype Store: SecretStore

    /// A store that holds these secrets and no other, and shares nothing with earlier ones.
    func makeStore(holding secrets: [String: Secret]) async throws -> Store

    /// The store as a program finds it that is started again; for ``SecretStoreCapability/survives``.
    func reopen(_ store: Store) async throws -> Store

    /// Makes every later call fail until it is healed; for ``SecretStoreCapability/fails``.
    func breakDown(_ store: Store) async throws

    /// Ends what ``breakDown(_:)`` began.
    func heal(_ store: Store) async throws

    /// All files that the store has written, by name; for ``SecretStoreCapability/writesFiles``.
    func files(of store: Store) async throws -> [String: [UInt8]]
}

/// What not every store of secrets can do.
public enum SecretStoreCapability: String, Sendable, Hashable, CaseIterable {
    /// Secrets can be stored, replaced and deleted.
    case changes
    /// What was stored is there for the next program.
    case survives
    /// The store can be made to fail.
    case fails
    /// The store writes files that the harness can read.
    case writesFiles
}

extension SecretStoreHarness {
    /// Fails: a harness that names a capability must have what it needs.
    public func reopen(_ store: Store) async throws -> Store { throw Self.missing("reopen") }
    /// Fails: a harness that names a capability must have what it needs.
    public func breakDown(_ store: Store) async throws { throw Self.missing("breakDown") }
    /// Fails: a harness that names a capability must have what it needs.
    public func heal(_ store: Store) async throws { throw Self.missing("heal") }
    /// Fails: a harness that names a capability must have what it needs.
    public func files(of store: Store) async throws -> [String: [UInt8]] { throw Self.missing("files") }
}
