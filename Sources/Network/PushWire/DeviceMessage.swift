internal import Foundation

/// What a device says to the push service.
public enum DeviceMessage: Sendable, Hashable {
    /// The first message of a connection: for which app the device wants a token, and which installation of it this is.
    case hello(PushHello)
    /// A notification was shown, and is noted as shown.
    case shown(number: Int)
    /// The app was removed: its token ends now.
    case unregister

    /// The most bytes of a message.
    public static let bytesMaximum: Int = 4096

    /// Reads a message.
    ///
    /// - Throws: ``PushMessageError``.
    public init(_ text: String) throws(PushMessageError) {
        let fields = try PushFields(text, upTo: Self.bytesMaximum)
        switch fields.type {
        case "hello":
            guard let environment = fields.environment.flatMap(PushEnvironment.init), let topic = fields.topic
            else { throw .malformed }
            var hello = PushHello(environment: environment, topic: topic)
            switch (fields.installation, fields.secret) {
            case (let id?, let secret?): hello.installation = PushInstallation(id: id, secret: secret)
            case (nil, nil): break
            default: throw .malformed
            }
            self = .hello(hello)
        case "shown":
            guard let number = fields.number else { throw .malformed }
            self = .shown(number: number)
        case "unregister": self = .unregister
        default: throw .unknown
        }
    }

    /// The message as it travels: an object of JSON.
    public var text: String {
        switch self {
        case .hello(let hello):
            PushFields(
                type: "hello",
                environment: hello.environment.rawValue,
                topic: hello.topic,
                installation: hello.installation?.id,
                secret: hello.installation?.secret
            ).text
        case .shown(let number): PushFields(type: "shown", number: number).text
        case .unregister: PushFields(type: "unregister").text
        }
    }
}

/// What a device wants a token for.
public struct PushHello: Sendable, Hashable {
    /// Whose tokens they are.
    public var environment: PushEnvironment
    /// The app.
    public var topic: String
    /// The installation that the device had from the service; `nil` for a new one.
    public var installation: PushInstallation?

    /// Makes a value of its parts.
    public init(environment: PushEnvironment, topic: String, installation: PushInstallation? = nil) {
        (self.environment, self.topic, self.installation) = (environment, topic, installation)
    }
}

/// The two worlds of tokens: those of one are unknown in the other.
public enum PushEnvironment: String, Sendable, Hashable, CaseIterable {
    case production
    case sandbox
}

/// One app on one device, as the service knows it again.
public struct PushInstallation: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// Its name.
    public var id: String
    /// What proves it.
    public var secret: String

    /// Makes a value of its parts.
    public init(id: String, secret: String) { (self.id, self.secret) = (id, secret) }

    /// Its name alone.
    public var description: String { "installation \(id)" }
    /// The same as the description.
    public var debugDescription: String { description }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
