/// What the codes of a kind of camera say: those on its label, and those that bring it to a Wi-Fi network.
///
/// Safe to use from any task.
public protocol CameraPairing: Sendable {
    /// Reads the code on a camera's label.
    ///
    /// - Throws: `notALabel`.
    func label(_ payload: BarcodePayload) throws(CameraPairingError) -> CameraLabel

    /// The identity that somebody has typed, or that was found, as it is compared and kept; `nil` where it is none.
    func device(_ text: String) -> String?

    /// The texts of the codes that a camera has to see, to be shown in turn.
    ///
    /// - Throws: `unusableName`, `unusablePassword`, `unusableRouter`.
    func codes(for access: WiFiAccess) throws(CameraPairingError) -> [Secret]

    /// How long each of several codes is shown.
    var codePeriod: Duration { get }

    /// What cameras of this kind accept until somebody changes it.
    var factoryLogin: CameraLogin { get }
}

/// What the label of a camera says.
public struct CameraLabel: Sendable, Hashable, Codable {
    /// How a camera comes to its network.
    public enum Joining: String, Sendable, Hashable, Codable {
        /// It reads a code that is shown to it.
        case code
        /// It has a network of its own at first.
        case accessPoint
        /// By a cable.
        case cable
        /// Over Bluetooth.
        case bluetooth
        /// It has a mobile network.
        case mobile
        /// It hears tones.
        case sound
        /// The label does not say it, or in a way that is not known.
        case unknown
    }

    /// The camera's identity.
    public var device: String
    /// How it wants to come to its network.
    public var joining: Joining

    /// Makes a value of its parts.
    public init(device: String, joining: Joining = .unknown) {
        (self.device, self.joining) = (device, joining)
    }
}

/// A user of a camera.
public struct CameraLogin: Sendable, Hashable {
    /// The user's name.
    public var user: String
    /// The user's password.
    public var password: Secret

    /// Makes a value of its parts.
    public init(user: String, password: Secret) { (self.user, self.password) = (user, password) }
}

/// What a camera needs to join a Wi-Fi network.
public struct WiFiAccess: Sendable, Hashable {
    /// The network's name (SSID).
    public var name: String
    /// The network's password.
    public var password: Secret
    /// The access point's address, as 12 hexadecimal digits with or without colons, where it is known.
    public var router: String?

    /// Makes a value of its parts.
    public init(name: String, password: Secret, router: String? = nil) {
        (self.name, self.password, self.router) = (name, password, router)
    }
}

/// Why a label cannot be used, or a network not be told to a camera; without what stands in either.
public enum CameraPairingError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The code is none of a label of such a camera.
    case notALabel(String)
    /// The network's name cannot be in a code.
    case unusableName(String)
    /// The network's password cannot be in a code.
    case unusablePassword(String)
    /// The access point's address is none.
    case unusableRouter(String)

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .notALabel(let detail):
            "this is not the label of a camera: \(detail). Show the code that is printed on the camera"
        case .unusableName(let detail): "the network's name cannot be used: \(detail)"
        case .unusablePassword(let detail): "the network's password cannot be used: \(detail)"
        case .unusableRouter(let detail): "the access point's address cannot be used: \(detail)"
        }
    }
}
