package import Services
import Synchronization

/// A camera whose pictures are those of a recording, for a program that looks at them at other times.
package final class AnsweringCamera: CameraSource {
    /// The pictures of a recording, in memory.
    package struct Film: Sendable {
        fileprivate let frames: [VideoFrame?]
        fileprivate let capabilities: CameraCapabilities

        /// Reads the pictures.
        ///
        /// - Throws: ``SessionError/damaged(path:detail:)``.
        package init(_ session: SessionReader) throws(SessionError) {
            var frames: [VideoFrame?] = []
            // Many looks at one still are one picture.
            var pictures: [UInt64: RecordedPicture] = [:]
            for look in try session.looks() {
                if look.sequence != nil, pictures[look.hash] == nil {
                    pictures[look.hash] = try session.picture(look.hash)
                }
                guard let sequence = look.sequence, let picture = pictures[look.hash] else {
                    frames.append(nil)
                    continue
                }
                frames.append(
                    VideoFrame(
                        sequence: sequence,
                        timestamp: .nanoseconds(look.timestamp),
                        size: picture.size,
                        content: picture.content
                    )
                )
            }
            self.frames = frames
            capabilities = session.cameraCapabilities ?? CameraCapabilities()
        }
    }

    private let film: Film
    private let next = Mutex(0)
    private let currentState = CameraStates()

    /// Shows a film, and its last picture from its end on.
    package init(_ film: Film) { self.film = film }

    /// What the camera of the recording could do.
    package var capabilities: CameraCapabilities { film.capabilities }

    /// Connects.
    package func connect() async throws(CameraError) { currentState.set(.connected) }

    /// Disconnects.
    package func disconnect() async { currentState.set(.disconnected) }

    /// Whether it is connected.
    package func states() -> AsyncStream<CameraState> { currentState.stream() }

    /// Changes nothing.
    package func apply(_ control: CameraControl) async throws(CameraError) {}

    /// Looks again and again.
    package func frames(limit: Int) -> any FrameStream { PolledFrames { await self.latestFrame() } }

    /// Returns the next picture.
    package func latestFrame() async -> VideoFrame? {
        let index = next.withLock { next in
            defer { next = min(next + 1, max(0, film.frames.count - 1)) }
            return next
        }
        return index < film.frames.count ? film.frames[index] : nil
    }
}
