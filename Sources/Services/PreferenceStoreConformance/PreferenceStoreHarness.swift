public import Conformance
public import Services

/// What the suite needs of a store's author: how to make one, and what it can be made to do.
///
/// Only ``makeStore()`` is required:
///
/// ```swift
/// struct MyPreferencesHarness: PreferenceStoreHarness {
///     func makeStore() async throws -> MyPreferences { MyPreferences() }
/// }
///
/// @Test(arguments: PreferenceStoreConformance.cases)
/// func conforms(_ test: PreferenceStoreConformance.Case) async throws {
///     try await test.run(with: MyPreferencesHarness())
/// }
/// ```
public protocol PreferenceStoreHarness: Harness where Capability == PreferenceStoreCapability {
    associatedtype Store: PreferenceStore

    /// A store that holds nothing, and shares nothing with earlier ones.
    func makeStore() async throws -> Store

    /// The store as a program finds it that is started again; for ``PreferenceStoreCapability/survives``.
    ///
    /// Nothing is asked of the former one any more.
    func reopen(_ store: Store) async throws -> Store

    /// Makes changes while the program may end, or the power may go, at any moment of them; for ``PreferenceStoreCapability/crashes``.
    ///
    /// - Parameters:
    ///   - store: The store, of which nothing is asked any more then.
    ///   - moment: How far it comes before the end, in steps of the harness's own; from 1.
    ///   - changes: What is done.
    /// - Returns: The store as it is found afterwards.
    func crash(
        _ store: Store,
        atMoment moment: Int,
        of changes: @escaping @Sendable (any PreferenceStore) throws -> Void
    ) async throws -> Store

    /// Makes every later call fail until it is healed; for ``PreferenceStoreCapability/fails``.
    func breakDown(_ store: Store) async throws

    /// Ends what ``breakDown(_:)`` began.
    func heal(_ store: Store) async throws

    /// Takes down what was made for a store; of one that was opened again, the newest is given.
    func takeDown(_ store: Store) async
}

/// What not every store of settings does, or not every harness can make happen.
public enum PreferenceStoreCapability: String, Sendable, Hashable, CaseIterable {
    /// What was stored is there for the next program.
    case survives
    /// The program can end in the middle of a change.
    case crashes
    /// The store can be made to fail.
    case fails
}

extension PreferenceStoreHarness {
    /// None: only what every store can show.
    public var capabilities: Set<PreferenceStoreCapability> { [] }
    /// Nothing is left to take down.
    public func takeDown(_ store: Store) async {}

    /// Fails: a harness that names a capability must have what it needs.
    public func reopen(_ store: Store) async throws -> Store { throw Self.missing("reopen") }
    /// Fails: a harness that names a capability must have what it needs.
    public func crash(
        _ store: Store,
        atMoment moment: Int,
        of changes: @escaping @Sendable (any PreferenceStore) throws -> Void
    ) async throws -> Store { throw Self.missing("crash") }
    /// Fails: a harness that names a capability must have what it needs.
    public func breakDown(_ store: Store) async throws { throw Self.missing("breakDown") }
    /// Fails: a harness that names a capability must have what it needs.
    public func heal(_ store: Store) async throws { throw Self.missing("heal") }
}
