public import Services

/// A camera that writes down what each look at it gave.
public struct RecordingCamera: CameraSource {
    private let base: any CameraSource
    private let writer: SessionWriter
    private let clock: SessionClock
    private let keepsPictures: Bool

    /// Wraps a camera.
    ///
    /// - Parameters:
    ///   - base: The camera that is wrapped.
    ///   - writer: What the captures are added to.
    ///   - clock: The times of the recording.
    ///   - keepsPictures: Whether contents are kept; not needed for a camera that a seed can make again.
    public init(_ base: any CameraSource, writer: SessionWriter, clock: SessionClock, keepsPictures: Bool) {
        self.base = base
        self.writer = writer
        self.clock = clock
        self.keepsPictures = keepsPictures
    }

    /// Connects the wrapped camera.
    public func connect() async throws(CameraError) {
        try await base.connect()
        writer.add(base.capabilities)
    }

    /// Disconnects the wrapped camera.
    public func disconnect() async { await base.disconnect() }

    /// What the wrapped camera can do.
    public var capabilities: CameraCapabilities { base.capabilities }

    /// Whether the wrapped camera works.
    public func states() -> AsyncStream<CameraState> { base.states() }

    /// Changes a control of the wrapped camera; what comes of it is in the pictures.
    public func apply(_ control: CameraControl) async throws(CameraError) { try await base.apply(control) }

    /// Looks at the newest frame again and again, so that each look is in the recording.
    public func frames(limit: Int) -> any FrameStream { PolledFrames { await latestFrame() } }

    /// Returns the wrapped camera's newest frame.
    public func latestFrame() async -> VideoFrame? {
        let frame = await base.latestFrame()
        let (seconds, attoseconds) = (frame?.timestamp ?? .zero).components
        let look = RecordedLook(
            nanoseconds: clock.nanoseconds,
            sequence: frame?.sequence,
            timestamp: seconds * 1_000_000_000 + attoseconds / 1_000_000_000,
            hash: frame.map { ContentHash.current($0.content) } ?? 0
        )
        writer.add(look) { keepsPictures ? frame.map(RecordedPicture.init) : nil }
        return frame
    }
}

extension RecordedPicture {
    /// The contents of a frame.
    init(_ frame: VideoFrame) {
        switch frame.content {
        case .jpeg(let bytes): self.init(size: frame.size, layout: nil, bytes: bytes)
        case .pixels(let buffer):
            self.init(
                size: buffer.size,
                layout: buffer.layout,
                bytes: unsafe buffer.withBytes { unsafe Array($0) }
            )
        }
    }
}
