public import Conformance
public import Services

/// What the suite needs of an authority's author: how to make one, and what the person says.
///
/// Only ``makeAuthority(decided:answers:)`` is required:
///
/// ```swift
/// struct MyAuthorityHarness: PermissionAuthorityHarness {
///     func makeAuthority(
///         decided: [DevicePermission: PermissionStatus],
///         answers: [DevicePermission: PermissionStatus]
///     ) async throws -> MyAuthority { MyAuthority() }
/// }
///
/// @Test(arguments: PermissionAuthorityConformance.cases)
/// func conforms(_ test: PermissionAuthorityConformance.Case) async throws {
///     try await test.run(with: MyAuthorityHarness())
/// }
/// ```
public protocol PermissionAuthorityHarness: Harness where Capability == PermissionAuthorityCapability {
    associatedtype Authority: PermissionAuthority

    /// An authority of its own.
    ///
    /// - Parameters:
    ///   - decided: What was decided before: `denied` only with ``PermissionAuthorityCapability/denies``, and nothing only with
    ///     ``PermissionAuthorityCapability/asks``.
    ///   - answers: What the person answers; without an entry the question stays open, only with ``PermissionAuthorityCapability/open``.
    func makeAuthority(
        decided: [DevicePermission: PermissionStatus],
        answers: [DevicePermission: PermissionStatus]
    ) async throws -> Authority

    /// The questions that the person has seen, in order; for ``PermissionAuthorityCapability/asks``.
    func questions(of authority: Authority) async throws -> [DevicePermission]

    /// Changes a decision as in the system's settings; for ``PermissionAuthorityCapability/settings``.
    func decide(_ permission: DevicePermission, _ status: PermissionStatus, of authority: Authority)
        async throws
}

/// What not every authority does, or not every harness can make happen.
public enum PermissionAuthorityCapability: String, Sendable, Hashable, CaseIterable {
    /// A permission can be denied.
    case denies
    /// Somebody is asked about what was not decided.
    case asks
    /// A question can be left open.
    case open
    /// A decision can be changed elsewhere.
    case settings
}

extension PermissionAuthorityHarness {
    /// None: only what every authority can show.
    public var capabilities: Set<PermissionAuthorityCapability> { [] }

    /// Fails: a harness that names a capability must have what it needs.
    public func questions(of authority: Authority) async throws -> [DevicePermission] {
        throw Self.missing("questions")
    }
    /// Fails: a harness that names a capability must have what it needs.
    public func decide(
        _ permission: DevicePermission,
        _ status: PermissionStatus,
        of authority: Authority
    ) async throws { throw Self.missing("decide") }
}
