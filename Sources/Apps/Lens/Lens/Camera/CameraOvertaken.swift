public import Services

/// Why a request to the camera came to nothing: something else was asked for before it was done.
///
/// It is thrown as the cause of `CameraError.unknown`, for `CameraError` has the cases of the source document alone.
public struct CameraOvertaken: Error, Hashable, CustomStringConvertible {
    /// Creates the cause.
    public init() {}

    /// What happened.
    public var description: String { "another camera was chosen, or the camera was switched off, meanwhile" }
}

extension CameraError {
    static let overtaken = CameraError.unknown(CameraOvertaken())
    static let cancelled = CameraError.unknown(CancellationError())

    /// Whether nothing is wrong with the camera: the request was overtaken by another one, or its caller was cancelled.
    public var isOvertaken: Bool {
        guard case .unknown(let cause) = self else { return false }
        return cause is CameraOvertaken || cause is CancellationError
    }
}
