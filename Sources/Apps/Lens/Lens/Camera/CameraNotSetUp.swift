public import Services

/// The camera of the network cannot be used before it is set up; it travels inside `CameraError.unknown`.
public struct CameraNotSetUp: Error, Sendable, CustomStringConvertible {
    /// Why what was kept for it cannot be used; `nil` where nothing was kept.
    public var cause: SecretStoreError?

    /// What to do.
    public var description: String {
        let cause = cause.map { " (\($0))" } ?? ""
        return "no camera of the network is set up\(cause). Choose one, and enter its password"
    }
}

extension CameraNotSetUp: ExplainedError {
    /// What it means to people.
    public var explanation: ErrorExplanation {
        let text =
            cause == nil
            ? "The Wi-Fi camera has not been set up." : "What was kept for the Wi-Fi camera cannot be read."
        return ErrorExplanation(text, "Set it up: choose a camera, and enter its password.", mayPass: false)
    }
}

extension CameraError {
    /// Whether the camera has to be set up first.
    public var needsSetUp: Bool {
        if case .unknown(is CameraNotSetUp) = self { true } else { false }
    }
}
