import AppKernel
import Conformance
import Foundation
import PermissionAuthorityConformance
import Services
import SimulatedDevice
import Synchronization

/// A platform that asks nobody.
struct UnrestrictedHarness: PermissionAuthorityHarness {
    func makeAuthority(
        decided: [DevicePermission: PermissionStatus],
        answers: [DevicePermission: PermissionStatus]
    ) async throws -> UnrestrictedPermissions { UnrestrictedPermissions() }
}

/// A person who answers by a script.
struct SimulatedAuthorityHarness: PermissionAuthorityHarness {
    let capabilities = Set(PermissionAuthorityCapability.allCases)

    func makeAuthority(
        decided: [DevicePermission: PermissionStatus],
        answers: [DevicePermission: PermissionStatus]
    ) async throws -> SimulatedPermissions {
        SimulatedPermissions(
            .init(decided: decided, answers: answers, thinking: .milliseconds(.random(in: 0...3_000)))
        )
    }

    func questions(of authority: SimulatedPermissions) async throws -> [DevicePermission] {
        authority.questions
    }

    func decide(
        _ permission: DevicePermission,
        _ status: PermissionStatus,
        of authority: SimulatedPermissions
    ) async throws { authority.decide(permission, status) }
}

/// Device nodes, whose rights a test changes.
struct DeviceNodeHarness: PermissionAuthorityHarness {
    /// The authority with the rights of its nodes.
    final class Authority: PermissionAuthority {
        private final class Rights: Sendable {
            let all: Mutex<[DevicePermission: PermissionStatus]>

            init(_ all: [DevicePermission: PermissionStatus]) { self.all = Mutex(all) }
        }

        private let rights: Rights
        private let permissions: DeviceNodePermissions

        init(_ decided: [DevicePermission: PermissionStatus]) {
            let rights = Rights(decided)
            self.rights = rights
            permissions = DeviceNodePermissions(camera: "/dev/camera", microphone: "/dev/microphone") {
                path in
                let status = rights.all.withLock { all in
                    DevicePermission.allCases.first { path == "/dev/\($0.rawValue)" }.flatMap { all[$0] }
                }
                return switch status ?? .notDetermined {
                case .granted: 0
                case .denied: EACCES
                case .notDetermined: ENOENT
                }
            }
        }

        func decide(_ permission: DevicePermission, _ status: PermissionStatus) {
            rights.all.withLock { $0[permission] = status }
        }

        func status(of permission: DevicePermission) -> PermissionStatus {
            permissions.status(of: permission)
        }

        func request(_ permission: DevicePermission) async -> PermissionStatus {
            await permissions.request(permission)
        }
    }

    let capabilities: Set<PermissionAuthorityCapability> = [.denies, .settings]

    func makeAuthority(
        decided: [DevicePermission: PermissionStatus],
        answers: [DevicePermission: PermissionStatus]
    ) async throws -> Authority { Authority(decided) }

    func decide(
        _ permission: DevicePermission,
        _ status: PermissionStatus,
        of authority: Authority
    ) async throws { authority.decide(permission, status) }
}
