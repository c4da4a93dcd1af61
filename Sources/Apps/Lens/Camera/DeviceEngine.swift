public import AppKernel
public import Services

/// What reaches the cameras of the network: made when it is first needed, once.
///
/// Callers at the same time share one start. One that fails is reported to all of them, and the next call starts it again.
public actor DeviceEngine {
    /// How far the engine is.
    public enum State: String, Sendable, Hashable, Codable {
        /// Nobody has needed it.
        case absent
        case starting
        case running
    }

    /// Its name in reports.
    public static let name: String = "veepa_camera"

    /// Makes the engine, ready to be used.
    public typealias Factory = @Sendable () async throws(CameraError) -> any WirelessCameras

    /// The present state and each change.
    public nonisolated var state: Published<State> { current.published }

    private let current = CurrentValue(State.absent)
    private let make: Factory
    private var start: Task<Result<any WirelessCameras, CameraError>, Never>?

    /// Makes nothing yet.
    public init(_ make: @escaping Factory) { self.make = make }

    /// Returns the engine, which this starts where nobody has.
    ///
    /// A start goes on when its caller is cancelled: others may wait for it.
    ///
    /// - Throws: What `make` throws.
    public func cameras() async throws(CameraError) -> any WirelessCameras {
        let start = start ?? begin()
        return try await start.value.get()
    }

    private func begin() -> Task<Result<any WirelessCameras, CameraError>, Never> {
        current.set(.starting)
        let task = Task { [make] in
            let result: Result<any WirelessCameras, CameraError>
            do throws(CameraError) { result = .success(try await make()) } catch { result = .failure(error) }
            self.end(result)
            return result
        }
        start = task
        return task
    }

    private func end(_ result: Result<any WirelessCameras, CameraError>) {
        guard case .failure = result else { return current.set(.running) }
        start = nil
        current.set(.absent)
    }
}
