public import Conformance
import Services

/// The requirements of `PermissionAuthority`, as cases that any implementation can be run against.
public enum PermissionAuthorityConformance {
    /// One requirement.
    public typealias Case = Suite<any PermissionAuthorityHarness>.Case

    /// All requirements.
    public static let cases: [Case] = states + decided + asking

    /// The suite of them.
    public static let suite = Suite("permission authority", cases)
}

extension Suite.Case where Subject == any PermissionAuthorityHarness {
    /// - Parameters:
    ///   - decided: What was decided before.
    ///   - answers: What the person answers.
    init(
        _ id: String,
        _ name: String,
        decided: [DevicePermission: PermissionStatus] = [:],
        answers: [DevicePermission: PermissionStatus] = [:],
        needs: Set<PermissionAuthorityCapability> = [],
        _ check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.init(id, name, needs: needs, harness: { $0 }) { harness in
            try await check(Trial.make(decided, answers, harness))
        }
    }
}
