public import Services
import Synchronization

/// A camera that needs no device: it draws a known scene and burns into each picture which one it is.
///
/// - Models: a camera of fixed size and rate that keeps only its newest frame; the shutter opens every
///   1/rate seconds from connecting on, the first frame at once. Sequence numbers restart with each connection.
/// - Does not model: exposure, focus, rolling shutter, lens errors, jitter of the frame clock, or the time that a
///   picture takes from the sensor.
/// - Faults: no permission, no device, a stall, a cable pulled and put back (``Fault``).
/// - Compared with a real camera: not compared.
///
/// Drawing is lazy: a frame that nobody asks for costs nothing, and no task runs. Time is `ContinuousClock`,
/// which a simulation makes virtual. The pictures depend only on the configuration and the frame's number.
public final class FakeCamera: CameraSource {
    /// What the camera is and shows.
    public let configuration: Configuration
    private let state: Mutex<State>

    /// Creates a disconnected camera.
    ///
    /// - Parameter configuration: Its size must be at least ``FrameCode/minimumSize`` unless it plays files.
    public init(_ configuration: Configuration = Configuration()) {
        precondition(configuration.framesPerSecond > 0, "a camera has a rate above zero")
        self.configuration = configuration
        state = Mutex(State())
    }

    /// Opens the device after ``Configuration/startup``, or fails as the faults say.
    public func connect() async throws(CameraError) {
        let asked = ContinuousClock.now
        let isConnected = state.withLock { state in
            state.poweredAt = state.poweredAt ?? asked
            state.dropLostConnection(configuration, asked)
            return state.connection != nil
        }
        if isConnected { return }
        if configuration.startup > .zero {
            do { try await Task.sleep(for: configuration.startup) } catch { throw .sessionStartFailed }
        }
        let opened = configuration.startup > .zero ? ContinuousClock.now : asked
        let refusal: CameraError? = state.withLock { state in
            if configuration.faults.contains(.permissionDenied) { return .permissionDenied }
            if configuration.isAbsent(after: state.age(at: opened)) { return .deviceNotFound }
            if state.connection == nil { state.connection = Connection(since: opened) }
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Closes the device.
    public func disconnect() async {
        state.withLock { $0.connection = nil }
    }

    /// Returns the frame whose shutter opened last, the same object when asked twice within one period.
    public func latestFrame() async -> VideoFrame? {
        state.withLock { state in
            let now = ContinuousClock.now
            state.dropLostConnection(configuration, now)
            guard let connection = state.connection else { return nil }
            guard
                let number = configuration.frameNumber(
                    after: now - connection.since,
                    ageAtConnecting: state.age(at: connection.since)
                )
            else { return nil }
            if let newest = connection.newest, newest.sequence == number { return newest }
            let frame = state.ready(configuration).frame(number)
            state.connection?.newest = frame
            return frame
        }
    }

    /// Draws the frame of that number, as ``latestFrame()`` delivers it in its time; connected or not.
    public func frame(_ number: Int) -> VideoFrame {
        precondition(number >= 0, "frames are numbered from 0")
        return state.withLock { $0.ready(configuration).frame(number) }
    }

    private struct State {
        /// When `connect` was first called; faults count from here.
        var poweredAt: ContinuousClock.Instant?
        var connection: Connection?
        var renderer: SceneRenderer?

        /// The renderer, made when it is first needed.
        mutating func ready(_ configuration: Configuration) -> SceneRenderer {
            if let renderer { return renderer }
            let fresh = SceneRenderer(configuration)
            renderer = fresh
            return fresh
        }

        func age(at now: ContinuousClock.Instant) -> Duration { poweredAt.map { now - $0 } ?? .zero }

        /// Forgets a connection whose cable was pulled since, also when it is back by now.
        mutating func dropLostConnection(_ configuration: Configuration, _ now: ContinuousClock.Instant) {
            guard let since = connection?.since else { return }
            if configuration.wasUnplugged(after: age(at: since), upTo: age(at: now)) { connection = nil }
        }
    }

    private struct Connection {
        var since: ContinuousClock.Instant
        var newest: VideoFrame?
    }
}
