public import Services
import Synchronization

/// A camera that returns at each capture what it returned in the recording.
///
/// Pictures that the session does not hold are made again by the camera that made them then, and compared by hash.
public final class ReplayCamera: CameraSource {
    private let session: SessionReader
    private let contentHash: ContentHash
    private let looks: [RecordedLook]
    private let maker: (any CameraSource)?
    private let comparison: Comparison
    private let clock: SessionClock
    private let next = Mutex(0)
    private let currentState = CameraStates()

    /// Prepares to play the captures of a recording.
    ///
    /// - Parameters:
    ///   - session: The recording.
    ///   - maker: The camera of the recording, where its pictures follow from a seed.
    ///   - clock: The times of the replay.
    ///   - comparison: What differences are added to.
    /// - Throws: ``SessionError/damaged(path:detail:)``.
    public init(
        _ session: SessionReader,
        maker: (any CameraSource)?,
        clock: SessionClock,
        comparison: Comparison
    ) throws(SessionError) {
        self.session = session
        contentHash = ContentHash.ofRecordings(version: session.version)
        looks = try session.looks()
        // What no seed can make again has to be there.
        for look in maker == nil ? looks : [] where look.sequence != nil {
            guard try session.picture(look.hash) == nil else { continue }
            throw .damaged(path: session.path, detail: "the picture of a capture is missing")
        }
        self.maker = maker
        self.clock = clock
        self.comparison = comparison
    }

    /// Connects the maker, if there is one.
    public func connect() async throws(CameraError) {
        try await maker?.connect()
        currentState.set(.connected)
    }

    /// Disconnects the maker, if there is one.
    public func disconnect() async {
        await maker?.disconnect()
        currentState.set(.disconnected)
    }

    /// What the maker can do, or the camera of the recording could.
    public var capabilities: CameraCapabilities {
        maker?.capabilities ?? session.cameraCapabilities ?? CameraCapabilities()
    }

    /// Whether the maker works, or whether this is connected.
    public func states() -> AsyncStream<CameraState> { maker?.states() ?? currentState.stream() }

    /// Changes a control of the maker, if there is one.
    public func apply(_ control: CameraControl) async throws(CameraError) { try await maker?.apply(control) }

    /// Looks again and again, as the camera of the recording did.
    public func frames(limit: Int) -> any FrameStream { PolledFrames { await self.latestFrame() } }

    /// Returns the recorded frame of the next capture.
    public func latestFrame() async -> VideoFrame? {
        let index = next.withLock { next in
            defer { next += 1 }
            return next
        }
        let made = await maker?.latestFrame()
        guard index < looks.count else {
            let further = difference(index, recorded: "nothing more", replayed: "another capture")
            if !comparison.exceeds(further) { try? await Task.sleep(for: .seconds(366 * 86_400)) }
            return nil
        }
        let look = looks[index]
        guard let sequence = look.sequence else {
            if maker != nil, made != nil { differs(index, recorded: "no frame", replayed: "a frame") }
            return nil
        }
        if let made {
            let hash = contentHash(made.content)
            if hash == look.hash {
                comparison.same()
            } else {
                differs(
                    index,
                    recorded: "frame \(sequence), contents \(String(look.hash, radix: 16))",
                    replayed: "frame \(made.sequence), contents \(String(hash, radix: 16))"
                )
            }
            return made
        }
        guard let picture = try? session.picture(look.hash) else {
            differs(index, recorded: "frame \(sequence)", replayed: "its picture is not in the recording")
            return nil
        }
        comparison.same()
        return VideoFrame(
            sequence: sequence,
            timestamp: .nanoseconds(look.timestamp),
            size: picture.size,
            content: picture.content
        )
    }

    private func differs(_ index: Int, recorded: String, replayed: String) {
        comparison.differs(difference(index, recorded: recorded, replayed: replayed))
    }

    private func difference(_ index: Int, recorded: String, replayed: String) -> Difference {
        Difference(
            nanoseconds: clock.nanoseconds,
            place: "capture \(index) of the camera",
            recorded: recorded,
            replayed: replayed
        )
    }
}

extension RecordedPicture {
    /// The contents as a camera delivers them.
    var content: VideoFrame.Content {
        guard let layout, let size, layout.byteCount(of: size) == bytes.count else { return .jpeg(bytes) }
        let buffer = PixelBuffer(size: size, layout: layout)
        unsafe buffer.withMutableBytes { unsafe $0.copyBytes(from: bytes) }
        return .pixels(buffer)
    }
}
