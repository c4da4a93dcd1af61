/// A camera that delivers frames while it is connected.
///
/// Implementations are safe to call from any task. A slow reader misses frames and never delays the camera. The guide
/// `Documentation/CameraBackend.md` says what one has to do, and the suite `CameraSourceConformance` checks it.
public protocol CameraSource: Sendable {
    /// What it can do; of a camera that was never connected what is known without it.
    var capabilities: CameraCapabilities { get }

    /// Opens the device and starts capture, with every control as it is at first: a zoom of 1.
    ///
    /// Returns once frames will follow. Cancelling the task, and ``disconnect()``, end an attempt soon: it throws `unknown` with a
    /// `CancellationError` then, and nothing is open.
    ///
    /// - Throws: Why it does not work; `sessionAlreadyRunning` when it is connected, and stays so.
    func connect() async throws(CameraError)

    /// Stops capture and releases the device; afterwards ``latestFrame()`` is `nil`, and no stream has a frame. Idempotent.
    func disconnect() async

    /// Whether it works, now and from now on: the present state first, then every change.
    ///
    /// A reader that is behind misses old changes, never the newest. Ends with the reader's task, or with the camera.
    func states() -> AsyncStream<CameraState>

    /// Returns the newest frame without waiting; `nil` before the first, and when disconnected.
    func latestFrame() async -> VideoFrame?

    /// The frames of this connection from the newest on, in order.
    ///
    /// - Parameter limit: How many wait for a reader that is late, at least 1; what comes beyond them takes the place of the
    ///   oldest, and counts as dropped.
    func frames(limit: Int) -> any FrameStream

    /// Changes a control.
    ///
    /// - Throws: `configurationFailed` for what ``capabilities`` does not have; `deviceNotFound` when disconnected.
    func apply(_ control: CameraControl) async throws(CameraError)
}

/// Whether a camera works.
public enum CameraState: Sendable, Equatable {
    /// It is off: never connected, or disconnected by us.
    case disconnected
    /// It delivers frames.
    case connected
    /// It was connected, and has gone by itself. It does not come back without ``CameraSource/disconnect()`` and
    /// ``CameraSource/connect()``, unless the camera says that it looks for itself: then it is `connected` again.
    case lost(CameraError)
}

/// What a camera can do.
public struct CameraCapabilities: Sendable, Hashable {
    /// The sizes of its pictures; none where they are not known before they come.
    public var sizes: [PixelSize]
    /// How much it can enlarge the middle of the picture: from 1, which is all of it.
    public var zoom: ClosedRange<Double>
    /// Whether it can focus on a point.
    public var hasFocusPoint: Bool

    /// Describes a camera; without arguments one without controls.
    public init(sizes: [PixelSize] = [], zoom: ClosedRange<Double> = 1...1, hasFocusPoint: Bool = false) {
        self.sizes = sizes
        self.zoom = zoom
        self.hasFocusPoint = hasFocusPoint
    }

    /// Whether a control, with its value, is one of the camera's.
    public func allows(_ control: CameraControl) -> Bool {
        switch control {
        case .zoom(let level): zoom.contains(level)
        case .focus(let point): hasFocusPoint && point.isInPicture
        }
    }
}

/// Something of a camera that can be changed while it works.
public enum CameraControl: Sendable, Hashable {
    /// Enlarges the middle of the picture so many times.
    case zoom(Double)
    /// Focuses on a point, once.
    case focus(FocusPoint)
}

/// A place in the picture, whatever its size: from 0, left and top, to 1.
public struct FocusPoint: Sendable, Hashable, Codable {
    /// From the left side.
    public var x: Double
    /// From the upper side.
    public var y: Double

    /// Names a point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    /// Whether it is a point of the picture.
    public var isInPicture: Bool { (0...1).contains(x) && (0...1).contains(y) }
}
