import Foundation
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
    /// As it lies in a store of secrets.
    private struct Document: Codable {
        var id: String
        var user: String
        var password: String
        var service: String?
    }

    /// The name under which a store of secrets keeps them.
    public static let secretName: String = "veepa.credentials"

    /// What a store of secrets has.
    public enum Stored: Sendable, Hashable {
        /// Nothing.
        case none
        /// Something that cannot be read; to be treated as nothing, and to be reported.
        case undecodable
        case found(VeepaCredentials)
    }

    /// Reads what was saved.
    public static func load(from store: any SecretStore) throws(SecretStoreError) -> Stored {
        guard let secret = try store.secret(named: secretName) else { return .none }
        let bytes = Data(secret.reveal().utf8)
        guard let document = try? JSONDecoder().decode(Document.self, from: bytes),
            let id = DeviceID(document.id)
        else { return .undecodable }
        var service: ServiceParameter?
        if let text = document.service {
            guard let read = ServiceParameter(text) else { return .undecodable }
            service = read
        }
        return .found(
            VeepaCredentials(
                id: id,
                user: document.user,
                password: Secret(document.password),
                service: service
            )
        )
    }

    /// Saves them, in place of any that were saved before.
    public func save(to store: any SecretStore) throws(SecretStoreError) {
        let document = Document(
            id: "\(id)",
            user: user,
            password: password.reveal(),
            service: service.map { "\($0)" }
        )
        guard let bytes = try? JSONEncoder().encode(document) else {
            throw .invalid(name: Self.secretName, detail: "the credentials cannot be written as JSON")
        }
        try store.set(Secret(String(decoding: bytes, as: UTF8.self)), named: Self.secretName)
    }
}
