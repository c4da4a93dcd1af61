import JPEG
public import Services
import Synchronization

/// A camera that plays pictures from disk, in a loop, at a steady rate.
///
/// Takes a folder of JPEG photographs of any sizes, or a Motion-JPEG movie (`.mjpeg`, `.mjpg`, `.avi`); see
/// ``ImageInput``. Files are read when they are due, one at a time, and each one is decoded once, the first time, to
/// find damage. Pictures that cannot be used are skipped and listed in ``rejected``.
public final class ImageFolderCamera: CameraSource {
    /// The folder or file that is played.
    public let path: String
    private let period: Duration
    private let limits: ImageInput.Limits
    private let state = Mutex(State())

    /// Creates a disconnected camera.
    ///
    /// - Parameters:
    ///   - path: A folder, or a .mjpeg, .mjpg or .avi file.
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

    /// Lists the pictures and checks their headers.
    ///
    /// - Throws: `deviceNotFound` when nothing is at the path, `permissionDenied`, or `unknown` with the
    ///   ``ImageInputError`` as cause.
    public func connect() async throws(CameraError) {
        if state.withLock({ $0.since != nil }) { return }
        do {
            let input = try ImageInput(path: path, limits: limits)
            try state.withLock { (state) throws(ImageInputError) in
                guard state.since == nil else { return }
                state.player = try Player(input)
                state.since = ContinuousClock.now
                state.newest = nil
            }
        } catch .missing {
            throw .deviceNotFound
        } catch .permissionDenied {
            throw .permissionDenied
        } catch {
            throw .unknown(error)
        }
    }

    /// Stops playing; ``rejected`` is kept.
    public func disconnect() async {
        state.withLock { state in
            state.since = nil
            state.newest = nil
        }
    }

    /// Returns the picture that is due; reads it from disk when it is asked for first.
    public func latestFrame() async -> VideoFrame? {
        state.withLock { state in
            guard let since = state.since, let player = state.player else { return nil }
            let elapsed = (ContinuousClock.now - since).nanoseconds
            let number = Int(elapsed / period.nanoseconds)
            if let newest = state.newest, newest.sequence == number { return newest }
            state.newest = player.picture(number).map { picture in
                VideoFrame(
                    sequence: number,
                    timestamp: period * number,
                    size: picture.size,
                    content: .jpeg(picture.file)
                )
            }
            return state.newest
        }
    }

    private struct State {
        var since: ContinuousClock.Instant?
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
