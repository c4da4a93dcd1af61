/// Which camera of the network to use, and how to log in to it.
public struct CameraCredentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The camera's identity, as cameras of its kind write it.
    public var device: String
    /// The user's name.
    public var user: String
    /// The user's password.
    public var password: Secret
    /// What cameras of its kind need to be found from afar; `nil` for one on the local network.
    public var service: String?

    /// Makes credentials of their parts.
    public init(device: String, user: String = "admin", password: Secret, service: String? = nil) {
        (self.device, self.user, self.password, self.service) = (device, user, password, service)
    }

    /// Nothing of them: who knows the identity can look for the camera.
    public var description: String { "<camera credentials>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
