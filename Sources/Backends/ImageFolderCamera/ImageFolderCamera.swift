import JPEG
public import Services
import Synchronization

/// A camera that plays pictures from disk, in a loop, at a steady rate.
///
/// Takes a folder of JPEG photographs of any sizes, or a Motion-JPEG movie (`.mjpeg`, `.mjpg`, `.avi`, `.mov`); see
/// ``ImageInput``. Files are read when they are due, one at a time, and each one is decoded once, the first time, to
/// find damage. Pictures that cannot be used are skipped and listed in ``rejected``.
public final class ImageFolderCamera: CameraSource {
    /// The folder or file that is played.
    public let path: String
    private let period: Duration
    private let limits: ImageInput.Limits
    private let state = Mutex(State())
    private let currentState = CameraStates()

    /// Creates a disconnected camera.
    ///
    /// - Parameters:
    ///   - path: A folder, or a .mjpeg, .mjpg, .avi or .mov file.
    ///   - framesPerSecond: Pictures each second, above 0.
    ///   - limits: Bounds on what is read.
    public init(path: String, framesPerSecond: Double = 5, limits: ImageInput.Limits = ImageInput.Limits()) {
        precondition(framesPerSecond > 0, "a camera has a rate above zero")
        self.path = path
        self.limits = limits
        period = .nanoseconds(max(1, Int64(1e9 / framesPerSecond)))
    }

    /// What was left out, from the last connection on; damage inside a picture is found when it is first due.
    public var rejected: [RejectedFile] { state.withLock { $0.player?.input.rejected ?? [] } }

    /// Pictures as they are: their sizes may differ, and nothing about them can be changed.
    public var capabilities: CameraCapabilities { CameraCapabilities() }

    /// Lists the pictures and checks their headers.
    ///
    /// - Throws: `sessionAlreadyRunning` when it plays, `deviceNotFound` when nothing is at the path, `permissionDenied`, or `unknown` with the
    ///   ``ImageInputError`` as cause.
    public func connect() async throws(CameraError) {
        if state.withLock({ $0.since != nil }) { throw .sessionAlreadyRunning }
        let isNew: Bool
        do {
            let input = try ImageInput(path: path, limits: limits)
            isNew = try state.withLock { (state) throws(ImageInputError) in
                // By another caller meanwhile.
                guard state.since == nil else { return false }
                state.player = try Player(input)
                state.since = ContinuousClock.now
                state.connections += 1
                state.newest = nil
                currentState.set(.connected)
                return true
            }
        } catch .missing {
            throw .deviceNotFound
        } catch .permissionDenied {
            throw .permissionDenied
        } catch {
            throw .unknown(error)
        }
        if !isNew { throw .sessionAlreadyRunning }
    }

    /// Stops playing; ``rejected`` is kept.
    public func disconnect() async {
        state.withLock { state in
            state.since = nil
            state.newest = nil
            currentState.set(.disconnected)
        }
    }

    /// Whether it plays; files are not lost.
    public func states() -> AsyncStream<CameraState> { currentState.stream() }

    /// Refuses what would change something: files are as they are.
    public func apply(_ control: CameraControl) async throws(CameraError) {
        if state.withLock({ $0.since == nil }) { throw .deviceNotFound }
        if !capabilities.allows(control) { throw .configurationFailed }
    }

    /// Pictures as they become due, read when they are asked for.
    public func frames(limit: Int) -> any FrameStream {
        let connection = state.withLock(\.connections)
        return DueFrames(limit: limit) { [self] in
            state.withLock { state in
                guard let since = state.since, state.connections == connection else { return .over }
                let number = number(at: ContinuousClock.now, since: since)
                return .newest(number, again: since + period * (number + 1))
            }
        } frame: { [self] number in
            state.withLock { frame(number, of: $0) }
        }
    }

    /// Returns the picture that is due; reads it from disk when it is asked for first.
    public func latestFrame() async -> VideoFrame? {
        state.withLock { state in
            guard let since = state.since else { return nil }
            let number = number(at: ContinuousClock.now, since: since)
            if let newest = state.newest, newest.sequence == number { return newest }
            state.newest = frame(number, of: state)
            return state.newest
        }
    }

    private func number(at now: ContinuousClock.Instant, since: ContinuousClock.Instant) -> Int {
        Int((now - since).nanoseconds / period.nanoseconds)
    }

    private func frame(_ number: Int, of state: State) -> VideoFrame? {
        state.player?.picture(number).map { picture in
            VideoFrame(
                sequence: number,
                timestamp: period * number,
                size: picture.size,
                content: .jpeg(picture.file)
            )
        }
    }

    private struct State {
        var since: ContinuousClock.Instant?
        var connections = 0
        var player: Player?
        var newest: VideoFrame?
    }
}

extension Duration {
    /// Whole nanoseconds, rounded towards zero.
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
