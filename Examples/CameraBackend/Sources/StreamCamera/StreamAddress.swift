public import Services

/// Where a camera has its pictures, and who may see them.
public struct StreamAddress: Sendable, Hashable {
    /// Host and port, such as `192.168.1.20:81`.
    public var authority: String
    /// Path and query, such as `/stream`.
    public var path: String
    /// Whether the connection is TLS.
    public var isSecure: Bool
    /// User and password, separated by a colon, for cameras that ask for them.
    public var login: Secret?

    /// Names a camera.
    public init(authority: String, path: String = "/stream", isSecure: Bool = false, login: Secret? = nil) {
        (self.authority, self.path, self.isSecure, self.login) = (authority, path, isSecure, login)
    }
}

/// Limits and patience.
public struct StreamOptions: Sendable, Hashable {
    /// How long a camera may be silent before it counts as lost; also before its answer begins.
    public var silence: Duration = .seconds(5)
    /// The largest picture, in bytes; one that is larger ends the connection.
    public var frameBytes: Int = 8 << 20

    /// Options for most cameras.
    public init() {}
}
