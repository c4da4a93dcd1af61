import Services

/// A stream or a recording has another camera than the one that is wanted; it travels inside `CameraError.unknown`.
struct CameraInUse: Error, Sendable, CustomStringConvertible {
    /// What to do.
    var description: String { "a stream or a recording has another camera. End it first" }
}

extension CameraInUse: ExplainedError {
    /// What it means to people.
    var explanation: ErrorExplanation {
        ErrorExplanation(
            "Another camera streams or records.",
            "End the stream or the recording first.",
            mayPass: true
        )
    }
}
