public import Concurrency
internal import Foundation
public import Services

/// Gives the app one camera at a time, whichever kind is chosen.
///
/// Changes are made one after the other, and a newer request overtakes an older one: of several switches asked for at
/// once the last wins. A camera that is being connected is cancelled then; one that goes on nevertheless is left behind
/// after ``grace``, and disconnected when it connects after all. Whoever asked for the same is served together, and a
/// caller that is cancelled leaves alone; without any caller left the connecting is cancelled.
///
/// Viewers share the camera: the first that appears connects it, the last that goes disconnects it a little later, unless a
/// stream or a recording needs it, and then at the end of that. A camera that was turned off stays off: viewers do not connect
/// it until it is asked for again.
///
/// A camera that goes by itself is `failed` at once, with the reason, and is connected again when somebody asks for it, or when it
/// comes back by itself.
public actor CameraRouter {
    /// Makes the camera of a kind, when it is first needed, and again when another picture size is wanted.
    ///
    /// Called with the wanted size; a camera that does not have it gives the nearest that it has.
    public typealias Factory = @Sendable (PixelSize) async throws(CameraError) -> any CameraSource

    typealias Work = SharedTask<Result<Void, CameraError>>

    /// What was asked for last, and the work on it.
    struct Request {
        var number: Int
        /// `nil` for no camera.
        var wish: CameraSourceType?
        var work: Work
    }

    /// How long a camera has to end a connecting that was cancelled, before another one is connected.
    public static let grace: Duration = .milliseconds(500)

    /// The present choice and connection.
    public nonisolated var status: Published<Status> { currentStatus.published }

    private let currentStatus = CurrentValue(Status())
    private let factories: [CameraSourceType: Factory]
    private let authorize: @Sendable (CameraSourceType) async throws(CameraError) -> Void
    private let isStreaming: @Sendable () -> Bool
    private let isRecording: @Sendable () -> Bool
    let sourceConnected: @Sendable (CameraSourceType) -> Void
    private let pictureSize: @Sendable () -> PixelSize
    private var sources: [CameraSourceType: any CameraSource] = [:]
    /// The picture sizes for which the cameras were made.
    private var sizes: [CameraSourceType: PixelSize] = [:]
    var last: Request?
    /// The connecting of each camera that is under way, also after it was overtaken.
    private var attempts: [CameraSourceType: Work] = [:]
    /// Counts the connections.
    private var connection = 0
    var viewers: Set<UUID> = []
    /// Streams that are being started, which need the camera already.
    private var startingStreams = 0
    /// Whether the camera is on because of viewers.
    private(set) var isForViewers = false
    /// Whether the user has turned the camera off, and not on again.
    var isTurnedOff = false
    private let viewerGrace: Duration
    /// Hears of the connected camera that it was lost.
    private let watching = OwnedTasks()
    /// Disconnects the camera once its viewers have been gone for ``viewerGrace``.
    private let leaving = OwnedTasks()
    private var isLeaving = false
    /// What was before the local camera was lent to a reader of codes; see ``borrowLocal()``.
    var loan: Choice?

    /// Creates a router with the local camera chosen and nothing connected.
    ///
    /// - Parameters:
    ///   - factories: One for each kind of camera there is; a kind without one is reported as not found.
    ///   - sourceConnected: Called after every successful switch, to remember the choice.
    ///   - authorize: Throws where a kind may not be used; asked before each connecting.
    ///   - isStreaming: Whether a stream needs the camera, also when nobody looks at it.
    ///   - isRecording: Whether a recording needs it, as it is: another picture size waits for its end.
    ///   - pictureSize: The wanted size, asked for before each connecting.
    ///   - viewerGrace: How long a camera stays on whose last viewer has gone: one that comes back meanwhile, such as a page
    ///     that is loaded again, finds it on.
    public init(
        factories: [CameraSourceType: Factory],
        sourceConnected: @escaping @Sendable (CameraSourceType) -> Void = { _ in },
        authorize: @escaping @Sendable (CameraSourceType) async throws(CameraError) -> Void = { _ in },
        isStreaming: @escaping @Sendable () -> Bool = { false },
        isRecording: @escaping @Sendable () -> Bool = { false },
        pictureSize: @escaping @Sendable () -> PixelSize = { VideoResolution.hd1080.size },
        viewerGrace: Duration = .seconds(3)
    ) {
        self.viewerGrace = viewerGrace
        self.factories = factories
        self.authorize = authorize
        self.isStreaming = isStreaming
        self.isRecording = isRecording
        self.sourceConnected = sourceConnected
        self.pictureSize = pictureSize
    }

    /// The chosen camera, or `nil` while it has never been needed.
    public var currentSource: (any CameraSource)? { sources[status.value.source] }

    /// Chooses a kind without connecting, as at launch.
    ///
    /// Only while nothing is connected.
    public func choose(_ type: CameraSourceType) {
        guard status.value.state != .connected, status.value.state != .connecting else { return }
        currentStatus.update { $0.source = type }
    }

    /// Connects the chosen camera; does nothing when it is connected, with the wanted picture size.
    ///
    /// - Throws: As ``switchTo(_:)``.
    public func connect() async throws(CameraError) {
        turnOn()
        try await connectChosen()
    }

    private func connectChosen() async throws(CameraError) {
        // What is being connected is not chosen yet while the present camera is still being disconnected.
        try await reach(last.flatMap { $0.work.isDone ? nil : $0.wish } ?? status.value.source)
    }

    /// Disconnects the present camera, then connects one of another kind.
    ///
    /// Does nothing when that kind is connected, with the wanted picture size.
    ///
    /// - Throws: What making or connecting the camera has thrown; the kind stays chosen, in state `failed`. A request that
    ///   a later one has overtaken throws `unknown` with ``CameraOvertaken``, and one whose caller was cancelled `unknown`
    ///   with a `CancellationError`.
    public func switchTo(_ type: CameraSourceType) async throws(CameraError) {
        turnOn()
        try await reach(type)
    }

    func reach(_ type: CameraSourceType) async throws(CameraError) {
        while true {
            let work = request(type)
            let result = await work.value()
            // Left by others before this caller came: it wants one of its own.
            if work.isAbandoned, !Task.isCancelled, last?.work === work { continue }
            return try (result ?? .failure(.cancelled)).get()
        }
    }

    /// Disconnects the camera.
    ///
    /// Idempotent.
    public func disconnect() async {
        endLoan()
        stay()
        await request(nil).end()
    }

    /// Disconnects the camera for all who look at it, until somebody connects it, changes to another, or streams.
    ///
    /// Idempotent.
    public func turnOff() async {
        isTurnedOff = true
        await disconnect()
    }

    private func turnOn() {
        endLoan()
        isTurnedOff = false
        stay()
    }

    /// The newest picture of the chosen camera, or `nil` when there is none or it is not connected.
    public func latestFrame() async -> VideoFrame? {
        guard status.value.state == .connected else { return nil }
        return await currentSource?.latestFrame()
    }

    /// The newest picture of the connected camera.
    ///
    /// - Throws: `deviceNotFound` when none is connected, `sessionStartFailed` when it has no picture yet.
    func frame() async throws(CameraError) -> VideoFrame {
        guard let frame = try await connectedSource().latestFrame() else { throw .sessionStartFailed }
        return frame
    }

    /// The frames of the connected camera from the newest on, of which at most `limit` wait for a reader that is late.
    ///
    /// They end when it is disconnected, lost, or another is chosen.
    ///
    /// - Throws: `deviceNotFound` when none is connected, or why it may not be used.
    public func frames(limit: Int) async throws(CameraError) -> any FrameStream {
        try await authorize(status.value.source)
        return try connectedSource().frames(limit: limit)
    }

    private func connectedSource() throws(CameraError) -> any CameraSource {
        guard status.value.state == .connected, let currentSource else { throw .deviceNotFound }
        return currentSource
    }

    // MARK: Controls

    /// Enlarges the middle of the picture, as far as the camera can; less than 1 is 1.
    ///
    /// - Throws: `deviceNotFound` when no camera is connected, `configurationFailed` for what is no number, or what the camera says.
    public func setZoom(_ level: Double) async throws(CameraError) {
        let source = try connectedSource()
        guard !level.isNaN else { throw .configurationFailed }
        let range = status.value.capabilities.zoom
        let (clamped, connection) = (min(max(level, range.lowerBound), range.upperBound), connection)
        // A camera without a zoom is at the level that it has.
        if range.lowerBound < range.upperBound { try await source.apply(.zoom(clamped)) }
        guard connection == self.connection, status.value.state == .connected else { return }
        currentStatus.update { $0.zoomLevel = clamped }
    }

    /// Focuses on a point of the picture.
    ///
    /// - Throws: `deviceNotFound` when no camera is connected, `configurationFailed` for a point beyond the picture, or where the
    ///   camera cannot, or what the camera says.
    public func focus(_ point: FocusPoint) async throws(CameraError) {
        let source = try connectedSource()
        guard status.value.capabilities.allows(.focus(point)) else { throw .configurationFailed }
        try await source.apply(.focus(point))
    }

    // MARK: Losses

    private func watch(_ source: any CameraSource) {
        connection += 1
        let (number, states) = (connection, source.states())
        watching.replace(with: [
            Task { [weak self] in
                for await state in states {
                    switch state {
                    case .lost(let error): await self?.lose(number, error)
                    case .connected: await self?.regain(number)
                    default: break
                    }
                }
            }
        ])
    }

    private func lose(_ number: Int, _ error: CameraError) {
        guard number == connection, status.value.state == .connected else { return }
        currentStatus.update {
            $0.becomeUnconnected(.failed)
            ($0.isLost, $0.error) = (true, error)
        }
    }

    /// Some cameras come back by themselves.
    private func regain(_ number: Int) {
        guard number == connection, status.value.isLost, let source = currentSource else { return }
        currentStatus.update {
            $0.becomeUnconnected(.connected)
            ($0.error, $0.capabilities) = (nil, source.capabilities)
        }
        // Nobody waits for the work: this task is that of the connection which it ends.
        if hasOtherSize(status.value.source), last?.work.isDone != false { request(status.value.source) }
    }

    func hasOtherSize(_ type: CameraSourceType) -> Bool {
        sizes[type] != pictureSize() && !isRecording()
    }

    /// Connects the camera again when it is connected with another picture size than the wanted one.
    ///
    /// A camera that is lent to a reader of codes keeps its size until it is returned.
    func applyPictureSize() async {
        // A connecting that has just succeeded, and is not over, is one with the size of before.
        while loan == nil, status.value.state == .connected, hasOtherSize(status.value.source) {
            // A failure is in the status.
            guard (try? await reach(status.value.source)) != nil else { return }
        }
    }

    // MARK: Viewers and streams

    /// Connects the camera for a viewer, unless it is connected, or was turned off.
    ///
    /// The viewer counts also when this throws, and until ``hide(_:)``.
    ///
    /// - Throws: As ``switchTo(_:)``.
    func show(_ viewer: UUID) async throws(CameraError) {
        viewers.insert(viewer)
        stay()
        if !isTurnedOff { try await connectChosen() }
    }

    /// Disconnects the camera when the last viewer goes and none comes for ``viewerGrace``, unless a stream needs it.
    func hide(_ viewer: UUID) async {
        guard viewers.remove(viewer) != nil, viewers.isEmpty else { return }
        guard viewerGrace > .zero else { return await leave() }
        isLeaving = true
        leaving.replace(with: [
            Task { [weak self, viewerGrace] in
                guard (try? await Task.sleep(for: viewerGrace)) != nil else { return }
                await self?.leave()
            }
        ])
    }

    /// Ends the time without viewers: somebody wants the camera.
    func stay() {
        isLeaving = false
        leaving.cancelAll()
    }

    private func leave() async {
        // Wanted again in the very moment in which the time was over.
        guard !Task.isCancelled else { return }
        isLeaving = false
        // A reader of codes has the camera until it gives it back.
        guard viewers.isEmpty, !isNeededByStream, loan == nil else { return }
        await request(nil).end()
    }

    /// Connects the camera for a stream that is about to start, and keeps it until ``endStarting()``.
    func connectForStream() async throws(CameraError) {
        startingStreams += 1
        try await connect()
    }

    /// Notes the end of a recording: the camera gets the wanted picture size, or is disconnected as at the end of a stream.
    func noteRecordingEnd() async {
        await applyPictureSize()
        await noteStreamEnd()
    }

    /// Notes that a stream has started, or has failed to.
    func endStarting() async {
        startingStreams -= 1
        await noteStreamEnd()
    }

    /// Disconnects a camera that viewers have left to a stream, when there is no stream any more.
    func noteStreamEnd() async {
        // The viewers have gone for a moment, perhaps.
        guard !isLeaving else { return }
        guard isForViewers, viewers.isEmpty, !isNeededByStream else { return }
        await disconnect()
    }

    var isNeededByStream: Bool { startingStreams > 0 || isStreaming() || isRecording() }

    // MARK: One after the other

    /// The work on what is wished for: that of an earlier request for the same, or new one that overtakes it.
    @discardableResult
    func request(_ wish: CameraSourceType?) -> Work {
        if wish == nil {
            isForViewers = false
        } else if !viewers.isEmpty, status.value.state != .connected || last?.wish == nil {
            isForViewers = true
        }
        if let last, last.wish == wish, !last.work.isDone, !last.work.isAbandoned { return last.work }
        let (number, before) = ((last?.number ?? 0) + 1, last?.work)
        before?.cancel()
        let work = Work { _ in
            await before?.end()
            return await self.perform(wish, number)
        }
        last = Request(number: number, wish: wish, work: work)
        return work
    }

    private func isLast(_ number: Int) -> Bool { last?.number == number }

    private func perform(_ wish: CameraSourceType?, _ number: Int) async -> Result<Void, CameraError> {
        guard isLast(number) else { return .failure(.overtaken) }
        let isThere = wish == status.value.source && status.value.state == .connected
        guard !isThere || wish.map(hasOtherSize) ?? true else { return .success(()) }
        await performDisconnect()
        guard isLast(number) else { return .failure(.overtaken) }
        for attempt in attempts.values { await Self.end(of: attempt, within: Self.grace) }
        guard isLast(number) else { return .failure(.overtaken) }
        guard let type = wish else { return .success(()) }
        currentStatus.update {
            $0.source = type
            $0.state = .connecting
            $0.error = nil
        }
        let result = await outcome(of: attempt(type))
        guard isLast(number) else {
            if case .success = result { await sources[type]?.disconnect() }
            currentStatus.update { $0.state = .disconnected }
            return .failure(.overtaken)
        }
        switch result {
        case .success:
            let source = sources[type]
            currentStatus.update {
                ($0.state, $0.zoomLevel) = (.connected, 1)
                $0.capabilities = source?.capabilities ?? CameraCapabilities()
            }
            if let source { watch(source) }
            if loan == nil { sourceConnected(type) }
        case .failure(let error) where error.isOvertaken: currentStatus.update { $0.state = .disconnected }
        case .failure(let error):
            currentStatus.update {
                $0.state = .failed
                $0.error = error
            }
        }
        return result
    }

    private func performDisconnect() async {
        guard status.value.state != .disconnected else { return }
        watching.cancelAll()
        await currentSource?.disconnect()
        currentStatus.update { $0.becomeUnconnected(.disconnected) }
    }

    /// What came of a connecting; one that is cancelled with this task is left to itself.
    private func outcome(of attempt: Work) async -> Result<Void, CameraError> {
        if let result = await attempt.value() { return result }
        guard !attempt.isAbandoned else { return .failure(.cancelled) }
        // Connected in the very moment of the cancellation.
        await attempt.end()
        return await attempt.value() ?? .failure(.cancelled)
    }

    /// Connects a camera once an earlier connecting of it has ended.
    private func attempt(_ type: CameraSourceType) -> Work {
        let earlier = attempts[type]
        let attempt = Work { settle in
            await earlier?.end()
            return await self.open(type, settle)
        }
        attempts[type] = attempt
        return attempt
    }

    private func open(
        _ type: CameraSourceType,
        _ settle: @Sendable () -> Bool
    ) async -> Result<Void, CameraError> {
        do throws(CameraError) {
            guard !Task.isCancelled else { throw .cancelled }
            try await authorize(type)
            let source = try await source(of: type)
            guard !Task.isCancelled else { throw .cancelled }
            try await source.connect()
            guard settle() else {
                await source.disconnect()
                throw .cancelled
            }
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    private func source(of type: CameraSourceType) async throws(CameraError) -> any CameraSource {
        let size = pictureSize()
        if let source = sources[type], sizes[type] == size { return source }
        guard let factory = factories[type] else { throw .deviceNotFound }
        let source = try await factory(size)
        (sources[type], sizes[type]) = (source, size)
        return source
    }

    private static func end(of work: Work, within limit: Duration) async {
        guard !work.isDone else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await work.observe() }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }
}
