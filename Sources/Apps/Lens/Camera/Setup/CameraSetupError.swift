public import Services

/// Why the setup of a wireless camera does not go on; without secrets.
public enum CameraSetupError: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The local camera gives no pictures, for this reason.
    case pictures(String)
    /// A picture of the local camera cannot be searched for a code.
    case picture(BarcodeError)
    /// The code in front of the local camera is not that of a camera.
    case label(CameraPairingError)
    /// The camera cannot be told the Wi-Fi network that was entered.
    case network(CameraPairingError)
    /// The codes for the camera could not be made.
    case code(BarcodeError)
    /// The camera has not appeared on the network in so many seconds; the last failure of the search, if there was one.
    case didNotJoin(device: String, seconds: Int, searchFailure: String?)
    /// The network could not be searched for cameras.
    case search(String)
    /// What was chosen or typed is not the identity of a camera.
    case notADevice
    /// A camera needs the name of a user.
    case noUser
    /// The credentials could not be kept, for this reason.
    case notSaved(String)
    /// The credentials that are kept cannot be read, for this reason, and count as none.
    case unreadableCredentials(String)
    /// What was asked for does not belong to this step.
    case wrongStep(CameraSetupState.Step)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .pictures(let detail): "the camera's label cannot be looked for: \(detail)"
        case .picture(let error): error.description
        case .label(let error), .network(let error): error.description
        case .code(let error): "the code for the camera could not be made: \(error)"
        case .didNotJoin(let device, let seconds, let failure):
            "the camera \(device) has not appeared on the network in \(seconds) s. See that the network's name and password "
                + "are right, hold the code closer, and try again" + (failure.map { "; \($0)" } ?? "")
        case .search(let detail): "the network could not be searched for cameras: \(detail)"
        case .notADevice: "this is not the identity of a camera. Copy it from the camera's label"
        case .noUser: "a camera needs the name of a user, which is often admin"
        case .notSaved(let detail): "the camera was not kept: \(detail)"
        case .unreadableCredentials(let detail): "the camera has to be set up again: \(detail)"
        case .wrongStep(let step): "this cannot be done while the setup is at “\(step.rawValue)”"
        }
    }
}
