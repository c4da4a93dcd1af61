public import PeerKit
public import Services
import Synchronization

/// A camera that needs no device: it draws a known scene and burns into each picture which one it is.
///
/// - Models: a camera of fixed size and rate that keeps only its newest frame; the shutter opens every
///   1/rate seconds from connecting on, the first frame at once. Sequence numbers restart with each connection. Zoom enlarges
///   the middle of the scene, and leaves the code in the picture as it is; where it was told to focus is kept
///   (``focusPoint``), and blurs the note in a drawn scene when it is on something near. Pictures come as pixels or as JPEG files.
/// - Does not model: exposure, sharpness, rolling shutter, lens errors, jitter of the frame clock, or the time that a
///   picture takes from the sensor.
/// - Faults: no permission, no device, one that does not have the size or does not start, a stall, a cable pulled and put
///   back (``Fault``, ``unplug()``); those of ``points``, armed in a simulation or by ``faults``: frames in bursts, torn, green, of a wrong
///   size, cut, and a clock that jumps.
/// - Compared with a real camera: not compared.
///
/// Drawing is lazy: a frame that nobody asks for costs nothing, and no task runs but for a cable that will be pulled. Time is `ContinuousClock`,
/// which a simulation makes virtual. The pictures depend only on the configuration and the frame's number.
public final class FakeCamera: CameraSource {
    /// What the camera is and shows.
    public let configuration: Configuration
    /// Everything that can go wrong with its frames.
    public static let points: [PeerFaultPoint] = [
        CameraFaultPoints.burst, CameraFaultPoints.torn, CameraFaultPoints.green, CameraFaultPoints.wrongSize,
        CameraFaultPoints.cut, CameraFaultPoints.jump,
    ]
    /// What goes wrong with its frames.
    public let faults: PeerFaults = PeerFaults(FakeCamera.points)
    private let state: Mutex<State>
    private let currentState = CameraStates()

    /// How much the scene can be enlarged.
    public static let zoomRange: ClosedRange<Double> = 1...4

    /// Creates a disconnected camera.
    ///
    /// - Parameter configuration: Its size must be at least ``FrameCode/minimumSize`` unless it plays files.
    public init(_ configuration: Configuration = Configuration()) {
        precondition(configuration.framesPerSecond > 0, "a camera has a rate above zero")
        self.configuration = configuration
        state = Mutex(State())
    }

    deinit { state.withLock { $0.connection?.end?.cancel() } }

    /// What is drawn can be enlarged and focused on; ready files are as they are.
    public var capabilities: CameraCapabilities {
        if case .prepared = configuration.scene { return CameraCapabilities(sizes: [configuration.size]) }
        return CameraCapabilities(sizes: [configuration.size], zoom: Self.zoomRange, hasFocusPoint: true)
    }

    /// The point that this connection was told to focus on last.
    public var focusPoint: FocusPoint? { state.withLock { $0.aim.focusPoint } }

    /// How much this connection enlarges; 1 when disconnected.
    public var zoom: Double { state.withLock(\.aim.zoom) }

    /// Opens the device after ``Configuration/startup``, or fails as the faults say.
    public func connect() async throws(CameraError) {
        let asked = ContinuousClock.now
        let isConnected = state.withLock { state in
            state.poweredAt = state.poweredAt ?? asked
            dropLostConnection(&state, asked)
            return state.connection != nil
        }
        if isConnected { throw .sessionAlreadyRunning }
        let startup = configuration.startup > .zero ? await start() : nil
        let opened = configuration.startup > .zero ? ContinuousClock.now : asked
        let refusal: CameraError? = state.withLock { state in
            if let startup {
                // A disconnect has taken it away, also one that came when the time was over. What is decided here is decided
                // at once: none comes between this look and the connection.
                let isWanted = state.startups.removeValue(forKey: startup.number) != nil
                guard isWanted, startup.hasEnded else { return .unknown(CancellationError()) }
            }
            if configuration.faults.contains(.permissionDenied) { return .permissionDenied }
            if state.isPulled || configuration.isAbsent(after: state.age(at: opened)) {
                return .deviceNotFound
            }
            if configuration.faults.contains(.wrongSize) { return .inputConfigurationFailed }
            if configuration.faults.contains(.doesNotStart) { return .sessionStartFailed }
            // Opened by another caller meanwhile.
            if state.connection != nil { return .sessionAlreadyRunning }
            state.connections += 1
            let end = end(ofConnection: state.age(at: opened), opened)
            state.connection = Connection(number: state.connections, since: opened, end: end)
            currentState.set(.connected)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Waits until the device has started, is given up by its caller, or is overtaken.
    ///
    /// - Returns: Its number in `startups`, and whether its time is over.
    private func start() async -> (number: Int, hasEnded: Bool) {
        let startup = Task { [configuration] in try await Task.sleep(for: configuration.startup) }
        let number = state.withLock { state in
            state.attempts += 1
            state.startups[state.attempts] = startup
            return state.attempts
        }
        let outcome = await withTaskCancellationHandler {
            await startup.result
        } onCancel: {
            startup.cancel()
        }
        guard case .success = outcome else { return (number, false) }
        return (number, true)
    }

    /// Closes the device; who still connects learns that it was overtaken.
    public func disconnect() async {
        state.withLock { state in
            for startup in state.startups.values { startup.cancel() }
            state.startups = [:]
            state.connection?.end?.cancel()
            state.connection = nil
            currentState.set(.disconnected)
        }
    }

    /// Pulls the cable: the connection is lost, and there is no device until ``plug()``.
    public func unplug() {
        state.withLock { state in
            state.isPulled = true
            guard let connection = state.connection else { return }
            connection.end?.cancel()
            state.connection = nil
            currentState.set(.lost(.deviceNotFound))
        }
    }

    /// Puts the cable back.
    public func plug() { state.withLock { $0.isPulled = false } }

    /// Whether it works.
    public func states() -> AsyncStream<CameraState> { currentState.stream() }

    /// Enlarges the scene, or keeps the point that is focused on.
    public func apply(_ control: CameraControl) async throws(CameraError) {
        let refusal: CameraError? = state.withLock { state in
            dropLostConnection(&state, ContinuousClock.now)
            guard state.connection != nil else { return .deviceNotFound }
            guard capabilities.allows(control) else { return .configurationFailed }
            switch control {
            case .zoom(let level): state.connection?.aim.zoom = level
            case .focus(let point): state.connection?.aim.focusPoint = point
            }
            // What was drawn before shows another picture.
            state.connection?.newest = nil
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Returns the frame whose shutter opened last, the same object when asked twice within one period.
    public func latestFrame() async -> VideoFrame? {
        state.withLock { state in
            guard case .newest(let number?, _) = due(&state, connection: nil) else { return nil }
            if let newest = state.connection?.newest, newest.sequence == number { return newest }
            let frame = make(number, &state)
            state.connection?.newest = frame
            return frame
        }
    }

    /// Frames as they come, drawn when they are read.
    public func frames(limit: Int) -> any FrameStream {
        let number = state.withLock { state in
            state.connection?.flaws.makeRoom(for: limit)
            return state.connection?.number ?? 0
        }
        return DueFrames(limit: limit) { [self] in
            state.withLock { due(&$0, connection: number) }
        } frame: { [self] frame in
            state.withLock { state in
                // None of a later connection, nor of none, where the end came since it was due.
                guard state.connection?.number == number else { return nil }
                return make(frame, &state)
            }
        }
    }

    /// Draws the frame of that number, as ``latestFrame()`` delivers it in its time without a zoom and without faults; connected or not.
    public func frame(_ number: Int) -> VideoFrame {
        precondition(number >= 0, "frames are numbered from 0")
        return state.withLock { $0.ready(configuration).frame(number, aim: Aim(), FrameFlaws()) }
    }

    /// Draws a frame of the connection, with its flaws.
    private func make(_ number: Int, _ state: inout State) -> VideoFrame {
        let flaws = state.connection?.flaws[number] ?? judge(number, &state)
        return state.ready(configuration).frame(number, aim: state.aim, flaws)
    }

    private func judge(_ number: Int, _ state: inout State) -> FrameFlaws {
        var flaws = FrameFlaws()
        if let fault = faults.strike(CameraFaultPoints.jump) {
            state.connection?.clockError += fault.time("seconds")
        }
        flaws.clockError = state.connection?.clockError ?? .zero
        if configuration.hasPixels {
            // The first has none before it.
            flaws.isTorn = faults.strike(CameraFaultPoints.torn) != nil && number > 0
            flaws.isGreen = faults.strike(CameraFaultPoints.green) != nil
            flaws.hasWrongSize = faults.strike(CameraFaultPoints.wrongSize) != nil
        }
        if configuration.hasFiles { flaws.isCut = faults.strike(CameraFaultPoints.cut) != nil }
        state.connection?.flaws.note(flaws, of: number)
        return flaws
    }

    /// What there is of a connection, or of the present one.
    private func due(_ state: inout State, connection number: Int?) -> DueFrames.Due {
        let now = ContinuousClock.now
        dropLostConnection(&state, now)
        guard let connection = state.connection, number == nil || number == connection.number else {
            return .over
        }
        let (elapsed, period) = (now - connection.since, configuration.period)
        let newest = configuration.frameNumber(
            after: elapsed,
            ageAtConnecting: state.age(at: connection.since)
        )
        let next = Int(elapsed.nanoseconds / period.nanoseconds) + 1
        let released = newest.flatMap { newest in release(newest, &state) }
        return .newest(released, again: connection.since + period * next)
    }

    /// The newest frame of those that are not held back for a burst.
    private func release(_ newest: Int, _ state: inout State) -> Int? {
        guard var connection = state.connection else { return nil }
        defer { state.connection = connection }
        if newest > connection.seen {
            connection.seen = newest
            let isFree = connection.held.map { newest >= $0.upperBound } ?? true
            if isFree {
                connection.held = faults.strike(CameraFaultPoints.burst)
                    .map { newest..<(newest + $0.integer("frames")) }
            }
        }
        guard let held = connection.held, held.contains(newest) else { return newest }
        return held.lowerBound > 0 ? held.lowerBound - 1 : nil
    }

    /// Forgets a connection whose cable was pulled since, also when it is back by now.
    private func dropLostConnection(_ state: inout State, _ now: ContinuousClock.Instant) {
        guard let connection = state.connection else { return }
        let ageAtConnecting = state.age(at: connection.since)
        guard configuration.wasUnplugged(after: ageAtConnecting, upTo: state.age(at: now)) else { return }
        connection.end?.cancel()
        state.connection = nil
        currentState.set(.lost(.deviceNotFound))
    }

    /// Looks at the connection when its cable is pulled, so that it is known at once.
    private func end(ofConnection age: Duration, _ opened: ContinuousClock.Instant) -> Task<Void, Never>? {
        guard let pulled = configuration.nextUnplugging(after: age) else { return nil }
        return Task { [weak self] in
            guard (try? await Task.sleep(until: opened + (pulled - age), clock: .continuous)) != nil else {
                return
            }
            guard let self else { return }
            state.withLock { self.dropLostConnection(&$0, ContinuousClock.now) }
        }
    }

    private struct State {
        /// When `connect` was first called; faults count from here.
        var poweredAt: ContinuousClock.Instant?
        var connection: Connection?
        var connections = 0
        /// Attempts whose device starts, until they are overtaken.
        var startups: [Int: Task<Void, any Error>] = [:]
        var attempts = 0
        /// Whether ``FakeCamera/unplug()`` came last.
        var isPulled = false
        var renderer: SceneRenderer?

        var aim: Aim { connection?.aim ?? Aim() }

        /// The renderer, made when it is first needed.
        mutating func ready(_ configuration: Configuration) -> SceneRenderer {
            if let renderer { return renderer }
            let fresh = SceneRenderer(configuration)
            renderer = fresh
            return fresh
        }

        func age(at now: ContinuousClock.Instant) -> Duration { poweredAt.map { now - $0 } ?? .zero }
    }

    private struct Connection {
        var number: Int
        var since: ContinuousClock.Instant
        var aim = Aim()
        /// Ends it when its cable is pulled.
        var end: Task<Void, Never>?
        var newest: VideoFrame?
        /// The newest frame for which it was decided whether a burst begins.
        var seen = -1
        /// Frames that are held back until the one behind them.
        var held: Range<Int>?
        var clockError: Duration = .zero
        var flaws = FlawMemory()
    }
}
