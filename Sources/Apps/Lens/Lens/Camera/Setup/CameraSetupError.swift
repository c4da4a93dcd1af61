public import Services

/// Why the setup of a wireless camera does not go on; without secrets.
public enum CameraSetupError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The local camera gives no pictures, for this reason.
    case pictures(CameraError)
    /// A picture of the local camera cannot be searched for a code.
    case picture(BarcodeError)
    /// The code in front of the local camera is not that of a camera.
    case label(CameraPairingError)
    /// The camera cannot be told the Wi-Fi network that was entered.
    case network(CameraPairingError)
    /// The codes for the camera could not be made.
    case code(BarcodeError)
    /// The camera has not appeared on the network in so many seconds; the last failure of the search, if there was one.
    case didNotJoin(device: String, seconds: Int, searchFailure: CameraError?)
    /// The credentials could not be kept, for this reason.
    case notSaved(CameraError)
    /// The camera has joined the network, and could not be connected, for this reason.
    case notConnected(CameraError)
    /// What was asked for does not belong to this step.
    case wrongStep(CameraSetupState.Step)

    /// What was tried, what came back, and what to do.
    public var description: String {
        switch self {
        case .pictures(let error): "the camera's label cannot be looked for: \(error)"
        case .picture(let error): error.description
        case .label(let error), .network(let error): error.description
        case .code(let error): "the code for the camera could not be made: \(error)"
        case .didNotJoin(let device, let seconds, let failure):
            "the camera \(device) has not appeared on the network in \(seconds) s. See that the network's name and password "
                + "are right, hold the code closer, and try again" + (failure.map { "; \($0)" } ?? "")
        case .notSaved(let error): "the camera was not kept: \(error)"
        case .notConnected(let error):
            "the camera is on the network, and was not connected: \(error). Choose it once more, or enter its password"
        case .wrongStep(let step): "this cannot be done while the setup is at “\(step.rawValue)”"
        }
    }

    /// Hashes what is said.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
