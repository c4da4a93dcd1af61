public import Services

/// Why a Wi-Fi camera could not be reached, or was lost; it travels inside `CameraError.unknown`.
///
/// Nothing in it comes from a password, and no text in it from the camera.
public struct VeepaConnectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to tell apart.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nobody has said which camera to use, and how to log in to it: it has to be set up first.
        case credentialsMissing
        /// No camera with the ID has answered on the local network, and no directory knows it as being there.
        case notFound
        /// The camera does not accept the user or the password.
        case authenticationRejected
        /// The camera was found, and did not answer in time.
        case timedOut
        /// The connection was there, and is not any more.
        case linkLost
        /// As many clients as the camera takes are connected.
        case busy
        /// What has answered says that it is another camera.
        case wrongCamera
        /// The camera answered that it will not, or does not know how.
        case refused
        /// A value cannot be sent to a camera of this kind.
        case invalidValue
        /// There is no connection.
        case notConnected
        /// Datagrams cannot be sent or received here.
        case network
        /// The caller has given up, or another call has taken its place.
        case cancelled
    }

    /// What kind of failure it is.
    public var code: Code
    /// What was tried, as a verb phrase.
    public var operation: String
    /// The camera's ID; empty where it is not known.
    public var camera: String
    /// What came back.
    public var detail: String

    /// Makes a value of its parts.
    public init(_ code: Code, operation: String, camera: String = "", detail: String = "") {
        (self.code, self.operation, self.camera, self.detail) = (code, operation, camera, detail)
    }

    /// Whether the same attempt may succeed later, without anything being done.
    public var isTransient: Bool {
        switch code {
        case .notFound, .timedOut, .linkLost, .busy, .network: true
        case .credentialsMissing, .authenticationRejected, .wrongCamera, .refused, .invalidValue,
            .notConnected,
            .cancelled:
            false
        }
    }

    /// What was tried, on what, what came back, and what to do.
    public var description: String {
        let target = camera.isEmpty ? "" : " (\(camera))"
        let what = detail.isEmpty ? "" : ": \(detail)"
        return "could not \(operation)\(target): \(reason)\(what)"
    }

    private var reason: String {
        switch code {
        case .credentialsMissing: "no camera has been set up. Set one up first"
        case .notFound:
            "no camera with this ID has answered. See that it has power and is on the same network"
        case .authenticationRejected: "the camera does not accept user or password. Enter them again"
        case .timedOut: "the camera did not answer in time. See that it is near enough to its access point"
        case .linkLost: "the connection is lost"
        case .busy: "too many others are connected to the camera. End another connection"
        case .wrongCamera: "another camera has answered. Nothing of it was used"
        case .refused: "the camera refused"
        case .invalidValue: "the camera cannot take this value. Choose another"
        case .notConnected: "there is no connection. Connect first"
        case .network: "the network cannot be used"
        case .cancelled: "it was given up"
        }
    }
}

extension CameraError {
    /// The failure of a Wi-Fi camera inside it, where it is one.
    public var veepa: VeepaConnectionError? {
        if case .unknown(let error) = self { error as? VeepaConnectionError } else { nil }
    }
}

extension VeepaConnectionError: ExplainedError {
    /// What it means to people.
    public var explanation: ErrorExplanation {
        switch code {
        case .credentialsMissing:
            ErrorExplanation("The Wi-Fi camera has not been set up.", "Set it up.", mayPass: false)
        case .notFound:
            ErrorExplanation(
                "The Wi-Fi camera does not answer.",
                "See that it has power and is in the same network."
            )
        case .authenticationRejected:
            ErrorExplanation(
                "The Wi-Fi camera does not accept the user or the password.",
                "Set it up again with the right ones.",
                mayPass: false
            )
        case .timedOut:
            ErrorExplanation(
                "The Wi-Fi camera did not answer in time.",
                "Bring it nearer to its access point."
            )
        case .linkLost:
            ErrorExplanation("The connection to the Wi-Fi camera was lost.", "See that it has power.")
        case .busy:
            ErrorExplanation("Too many others use the Wi-Fi camera.", "Close it on another device.")
        case .wrongCamera:
            ErrorExplanation("Another camera answers in its place.", "Check the network.", mayPass: false)
        case .refused: ErrorExplanation("The Wi-Fi camera refused the request.")
        case .invalidValue:
            ErrorExplanation("The Wi-Fi camera cannot take this value.", "Choose another.", mayPass: false)
        case .notConnected: ErrorExplanation("The Wi-Fi camera is not connected.", "Connect it first.")
        case .network:
            ErrorExplanation("The network cannot be used.", "Connect this device to the camera's network.")
        case .cancelled: ErrorExplanation("The action was cancelled.")
        }
    }
}
