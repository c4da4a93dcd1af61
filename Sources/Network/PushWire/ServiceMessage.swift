internal import Foundation

/// What the push service says to a device.
public enum ServiceMessage: Sendable, Hashable {
    /// The answer to a hello: the token by which providers reach the device, in lower-case hexadecimal, and the installation to come back with.
    case welcome(token: String, installation: PushInstallation)
    /// A notification; it comes again with each connection until the device says that it was shown.
    case notification(PushDelivery)

    /// The most bytes of a message: a payload of 5,120 bytes in which each is escaped, and what is around it.
    public static let bytesMaximum: Int = 64 * 1024

    /// Reads a message.
    ///
    /// - Throws: ``PushMessageError``.
    public init(_ text: String) throws(PushMessageError) {
        let fields = try PushFields(text, upTo: Self.bytesMaximum)
        switch fields.type {
        case "welcome":
            guard let token = fields.token, let id = fields.installation, let secret = fields.secret else {
                throw .malformed
            }
            self = .welcome(token: token, installation: PushInstallation(id: id, secret: secret))
        case "notification":
            guard let number = fields.number, let id = fields.id, let payload = fields.payload else {
                throw .malformed
            }
            self = .notification(
                PushDelivery(
                    number: number,
                    id: id,
                    payload: payload,
                    collapseID: fields.collapse,
                    priority: fields.priority ?? 10
                )
            )
        default: throw .unknown
        }
    }

    /// The message as it travels: an object of JSON.
    public var text: String {
        switch self {
        case .welcome(let token, let installation):
            PushFields(
                type: "welcome",
                installation: installation.id,
                secret: installation.secret,
                token: token
            ).text
        case .notification(let delivery):
            PushFields(
                type: "notification",
                number: delivery.number,
                id: delivery.id,
                payload: delivery.payload,
                collapse: delivery.collapseID,
                priority: delivery.priority
            ).text
        }
    }
}

/// A notification on its way to a device.
public struct PushDelivery: Sendable, Hashable {
    /// What the device answers with, for this service alone.
    public var number: Int
    /// The `apns-id` of the provider's request.
    public var id: String
    /// The payload, as the provider has sent it.
    public var payload: String
    /// What it takes the place of, among notifications of the same.
    public var collapseID: String?
    /// 10 at once, 5 when it suits the device, 1 without waking it.
    public var priority: Int

    /// Makes a value of its parts.
    public init(number: Int, id: String, payload: String, collapseID: String? = nil, priority: Int = 10) {
        (self.number, self.id, self.payload) = (number, id, payload)
        (self.collapseID, self.priority) = (collapseID, priority)
    }
}
