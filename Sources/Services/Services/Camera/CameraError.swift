/// Why a camera could not do what was asked (LENS-236).
public enum CameraError: Error, Sendable, CustomStringConvertible, Equatable {
    case permissionDenied
    case deviceNotFound
    case inputConfigurationFailed
    case outputConfigurationFailed
    case sessionStartFailed
    case sessionAlreadyRunning
    case configurationFailed
    /// Anything else, with its cause.
    case unknown(any Error)

    /// What went wrong, in words for the user.
    public var description: String {
        switch self {
        case .permissionDenied: "Camera permission denied"
        case .deviceNotFound: "Camera not found"
        case .inputConfigurationFailed: "The camera does not offer the requested format"
        case .outputConfigurationFailed: "The recording could not be set up"
        case .sessionStartFailed: "The camera did not start"
        case .sessionAlreadyRunning: "The camera is already running"
        case .configurationFailed: "The camera refused its configuration"
        case .unknown(let error): "Camera failure: \(error)"
        }
    }

    /// Equal when the cases are, and for `unknown` when the causes read the same.
    public static func == (left: CameraError, right: CameraError) -> Bool {
        left.description == right.description
    }
}
