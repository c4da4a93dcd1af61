public import Concurrency
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
    private var start: SharedTask<Result<any WirelessCameras, CameraError>>?

    /// Makes nothing yet.
    public init(_ make: @escaping Factory) { self.make = make }

    /// Returns the engine, which this starts where nobody has.
    ///
    /// A caller that is cancelled returns at once. The start goes on, since others may wait for it, until `stop()`.
    ///
    /// - Throws: What `make` throws; `unknown` with a `CancellationError`.
    public func cameras() async throws(CameraError) -> any WirelessCameras {
        guard let result = await (start ?? begin()).observe() else { throw .cancelled }
        return try result.get()
    }

    /// Starts the engine, and waits for it no longer than `patience`; it goes on after that.
    ///
    /// - Throws: As ``cameras()``; `unknown` with ``DeviceEngineIsSlow``.
    func start(within patience: Duration) async throws(CameraError) {
        let start = start ?? begin()
        let result = await withTaskGroup(of: Result<any WirelessCameras, CameraError>?.self) { group in
            group.addTask { await start.observe() }
            group.addTask {
                try? await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        guard let result else {
            throw Task.isCancelled ? .cancelled : .unknown(DeviceEngineIsSlow(patience: patience))
        }
        _ = try result.get()
    }

    /// Ends a start that is under way, and does not wait for it: what hangs would be waited for without end.
    func stop() { start?.cancel() }

    private func begin() -> SharedTask<Result<any WirelessCameras, CameraError>> {
        current.set(.starting)
        let start = SharedTask<Result<any WirelessCameras, CameraError>> { [make] _ in
            let result: Result<any WirelessCameras, CameraError>
            do throws(CameraError) { result = .success(try await make()) } catch { result = .failure(error) }
            await self.end(result)
            return result
        }
        self.start = start
        return start
    }

    private func end(_ result: Result<any WirelessCameras, CameraError>) {
        guard case .failure = result else { return current.set(.running) }
        start = nil
        current.set(.absent)
    }
}

/// The engine has not started in the time that a launch has for it; it travels inside `CameraError.unknown`.
struct DeviceEngineIsSlow: Error, CustomStringConvertible {
    var patience: Duration

    /// What was waited for, and what to do.
    var description: String {
        "\(DeviceEngine.name), which reaches Wi-Fi cameras, has not started in \(patience). It goes on; choose the camera again later"
    }
}
