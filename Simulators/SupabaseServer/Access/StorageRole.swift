/// Who a request speaks for, as its token's `role` claim says.
public struct StorageRole: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// Anyone who has the project's public key.
    public static let anonymous: StorageRole = StorageRole(rawValue: "anon")
    /// Somebody who has signed in.
    public static let authenticated: StorageRole = StorageRole(rawValue: "authenticated")
    /// The project's own back end, which no policy binds.
    public static let service: StorageRole = StorageRole(rawValue: "service_role")

    /// The text of the claim.
    public let rawValue: String

    /// Makes a role, also one that the project invented.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The text of the claim.
    public var description: String { rawValue }
}
