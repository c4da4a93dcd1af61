/// What a program may not use before the user, or the system, has allowed it.
public enum DevicePermission: String, Sendable, Hashable, Codable, CaseIterable {
    case camera, microphone
}

/// What has been decided about a permission.
public enum PermissionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing yet: nobody was asked, or there is no such device.
    case notDetermined
    case granted
    case denied
}

/// Knows what the program is allowed to use, and asks for it.
public protocol PermissionAuthority: Sendable {
    /// What has been decided, without asking anybody.
    func status(of permission: DevicePermission) -> PermissionStatus

    /// Asks for a permission about which nothing was decided, and returns the decision.
    ///
    /// Returns at once what has been decided before.
    func request(_ permission: DevicePermission) async -> PermissionStatus
}

/// The authority of a platform that asks nobody: everything is granted.
public struct UnrestrictedPermissions: PermissionAuthority {
    /// Creates the authority.
    public init() {}

    /// Granted.
    public func status(of permission: DevicePermission) -> PermissionStatus { .granted }

    /// Granted.
    public func request(_ permission: DevicePermission) async -> PermissionStatus { .granted }
}
