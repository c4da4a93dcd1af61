/// A camera that delivers frames while it is connected.
///
/// Implementations are safe to call from any task. They keep only the newest frame: a slow reader misses
/// frames and never delays the camera.
public protocol CameraSource: Sendable {
    /// Opens the device and starts capture. Returns once frames will follow; a connected source stays so.
    func connect() async throws(CameraError)

    /// Stops capture and releases the device; afterwards ``latestFrame()`` is `nil`. Harmless when repeated.
    func disconnect() async

    /// Returns the newest frame without waiting; `nil` before the first, and when disconnected.
    func latestFrame() async -> VideoFrame?
}
