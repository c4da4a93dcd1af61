public import PPPP
public import Services

/// Which camera to use, and how to log in to it.
public struct VeepaCredentials: Sendable, Hashable {
    /// The camera; an answer with another ID is never used.
    public var id: DeviceID
    /// The user's name, most often `admin`.
    public var user: String
    /// The user's password.
    public var password: Secret
    /// The service parameter of the camera's product line, for a camera that is not on the local network.
    public var service: ServiceParameter?

    /// Makes credentials of their parts.
    public init(id: DeviceID, user: String, password: Secret, service: ServiceParameter? = nil) {
        (self.id, self.user, self.password, self.service) = (id, user, password, service)
    }
}

extension VeepaCredentials {
    /// Reads what is kept for a camera of the network.
    ///
    /// - Throws: `invalidValue` for an ID or a service parameter that no camera of this family has.
    public init(_ credentials: CameraCredentials) throws(VeepaConnectionError) {
        func error(_ detail: String) -> VeepaConnectionError {
            VeepaConnectionError(.invalidValue, operation: "read the credentials", detail: detail)
        }
        guard let id = DeviceID(credentials.device) else {
            throw error("the ID is none of a camera of this family, which is such as VSTB-123456-ABCDE")
        }
        var service: ServiceParameter?
        if let text = credentials.service {
            service = ServiceParameter(text)
            guard service != nil else { throw error("the service parameter cannot be read") }
        }
        self.init(id: id, user: credentials.user, password: credentials.password, service: service)
    }
}
