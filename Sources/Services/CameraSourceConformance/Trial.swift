import Conformance
import Services

/// A camera on trial, with what cases do again and again.
struct Trial: Sendable {
    let camera: any CameraSource
    let harness: any CameraSourceHarness
    /// The states so far, under faults.
    private let watch: Watch?
    private let takeAway: @Sendable () async throws -> Void
    private let putBack: @Sendable () async throws -> Void
    private let deviceZoom: (@Sendable () async throws -> Double)?
    private let openCount: (@Sendable () async throws -> Int)?
    private let takeDown: @Sendable () async -> Void

    static func make<Harness: CameraSourceHarness>(
        _ device: CameraDevice,
        _ harness: Harness
    ) async throws -> Trial {
        let camera = try await requireEnd("the harness makes a camera", within: harness.patience) {
            try await harness.makeCamera(device)
        }
        let zoom: @Sendable () async throws -> Double = { try await harness.zoom(of: camera) }
        let openCount: @Sendable () async throws -> Int = { try await harness.openCount(of: camera) }
        let watch = isUnderFaults ? Watch() : nil
        watch?.begin(camera.states())
        return Trial(
            camera: camera,
            harness: harness,
            watch: watch,
            takeAway: { try await harness.lose(camera) },
            putBack: { try await harness.giveBack(camera) },
            deviceZoom: harness.capabilities.contains(.zoom) ? zoom : nil,
            openCount: harness.capabilities.contains(.openCount) ? openCount : nil,
            takeDown: { await harness.takeDown(camera) }
        )
    }

    /// Disconnects the camera, and takes down what was made for it.
    ///
    /// What does not end is left to itself: that is for the cases about it to say.
    func end() async {
        try? await disconnect()
        try? await inTime("the harness takes down a camera") { await takeDown() }
    }

    /// Gives up where the camera says that it was lost, so that something that should go on has ended; does nothing without faults.
    func giveUpIfLost() async throws {
        guard let watch else { return }
        // The watch has what was said before.
        try await Task.sleep(for: .milliseconds(1))
        for case .lost(let error) in watch.seen { throw GaveUp("\(error)") }
    }

    /// Runs a case while the world fails.
    ///
    /// Once the faults are over, the camera can be connected again, shows what is there, and leaves nothing open.
    func whileItsWorldFails(_ check: () async throws -> Void) async throws {
        onceFaultsAreOver {
            do {
                try await disconnect()
                try await connectAgain()
                try await checkIsOn()
                try await disconnect()
                try await checkNothingIsOpen()
            } catch {
                await end()
                throw error
            }
            await end()
        }
        defer { _ = watch?.end() }
        try await check()
    }

    /// Connects once the faults are over: what the network still has in its queues may take longer than some attempts.
    private func connectAgain() async throws {
        let end = ContinuousClock.now + harness.patience * 5
        while true {
            do {
                return try await inTime("a camera connects") { try await camera.connect() }
            } catch let error as CameraError where ContinuousClock.now < end {
                try harness.requireNoSecret(in: error)
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    // MARK: Waiting

    /// Waits for something that must come; it is left to itself when it does not.
    func inTime<Value: Sendable>(
        _ requirement: String,
        within limit: Duration? = nil,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await requireEnd(requirement, within: limit ?? harness.patience, work)
    }

    /// Waits for the end of a task; one that is late is cancelled, and left to itself.
    func end<Value: Sendable>(
        of task: Task<Value, Never>,
        _ requirement: String,
        within limit: Duration? = nil
    ) async throws -> Value {
        try await inTime(requirement, within: limit) {
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }

    // MARK: Harness

    func lose() async throws { try await inTime("the harness takes the device away", takeAway) }

    func giveBack() async throws { try await inTime("the harness gives the device back", putBack) }

    /// How much the device enlarges; `nil` where that cannot be seen.
    func zoom() async throws -> Double? {
        guard let deviceZoom else { return nil }
        return try await inTime("the harness sees the zoom", deviceZoom)
    }

    // MARK: Connecting

    /// Connects a camera whose device works.
    func connect() async throws {
        try await inTime("a camera connects") {
            try await requireSuccess("a camera connects whose device works") { try await camera.connect() }
        }
    }

    func disconnect() async throws {
        try await inTime("disconnecting returns", within: harness.promptness) { await camera.disconnect() }
    }

    /// The error of a call that must fail.
    func failure(
        _ requirement: String,
        within limit: Duration? = nil,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws -> CameraError {
        let error: CameraError = try await requireError(requirement) {
            try await inTime(requirement, within: limit, work)
        }
        try harness.requireNoSecret(in: error)
        return error
    }

    /// The end of an attempt: its error, or `nil` when it has connected.
    func outcome(of attempt: Task<CameraError?, Never>) async throws -> CameraError? {
        let error = try await end(of: attempt, "an attempt that is given up ends", within: harness.promptness)
        if let error { try harness.requireNoSecret(in: error) }
        return error
    }

    /// Begins to connect.
    func attempt() -> Task<CameraError?, Never> {
        Task { [camera] in
            do throws(CameraError) { try await camera.connect() } catch { return error }
            return nil
        }
    }

    func check(_ error: CameraError, isFor trouble: CameraTrouble) throws {
        let isRight = harness.isRight(error, for: trouble)
        try require(isRight, "the error for \(trouble) says what is wrong", saw: "“\(error)”")
    }

    /// Whatever has happened, the camera is off: it says so, has no frame, and nothing is open.
    func checkIsOff() async throws {
        let state = try await state()
        try require(state == .disconnected, "a camera that is off says so", saw: "\(state)")
        let frame = try await newest()
        try require(frame == nil, "a camera that is off has no frame", saw: "frame \(frame?.sequence ?? -1)")
        try await checkNothingIsOpen()
    }

    /// Nothing is open, or will be soon: what is released at the other end of a network is so a little later.
    func checkNothingIsOpen() async throws {
        guard let openCount else { return }
        let count = { try await inTime("the harness counts what is open", openCount) }
        let end = ContinuousClock.now + harness.patience
        var open = try await count()
        while open > 0, ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(100))
            open = try await count()
        }
        try require(open == 0, "nothing stays open", saw: "\(open)")
    }

    // MARK: States

    /// The present state, as who begins to watch gets it.
    func state() async throws -> CameraState {
        let states = camera.states()
        return try await self.states(states) { _ in true }[0]
    }

    /// The states up to one, with it.
    func states(
        _ stream: AsyncStream<CameraState>,
        within limit: Duration? = nil,
        until isLast: @escaping @Sendable (CameraState) -> Bool
    ) async throws -> [CameraState] {
        let states = try await inTime("states come", within: limit) {
            var states: [CameraState] = []
            for await state in stream {
                states.append(state)
                if isLast(state) { return states }
            }
            throw ConformanceFailure(
                "states come as long as there is a camera",
                saw: "an end after \(states)"
            )
        }
        for case .lost(let error) in states { try harness.requireNoSecret(in: error) }
        return states
    }

    /// Watches the camera from now on, beside what the case does; its present state is the first of them.
    func watch() async throws -> Watch {
        let (states, watch) = (camera.states(), Watch())
        for state in try await self.states(states, until: { _ in true }) { watch.note(state) }
        watch.begin(states)
        return watch
    }

    // MARK: Frames

    /// The newest frame, which one case requires to be there without waiting.
    func newest() async throws -> VideoFrame? {
        try await inTime("the newest frame is there without waiting") { await camera.latestFrame() }
    }

    /// The next frame of a stream that goes on.
    func next(_ stream: any FrameStream) async throws -> VideoFrame {
        let frame = try await inTime("a frame comes") { await stream.next() }
        guard let frame else {
            try await giveUpIfLost()
            throw ConformanceFailure("frames go on", saw: "their end")
        }
        return frame
    }

    /// So many frames.
    func take(_ count: Int, from stream: any FrameStream) async throws -> [VideoFrame] {
        var frames: [VideoFrame] = []
        while frames.count < count { try await frames.append(next(stream)) }
        return frames
    }

    /// Frames come, as of a camera that works.
    @discardableResult
    func checkIsOn(frames count: Int = 2) async throws -> [VideoFrame] {
        let state = try await state()
        if state != .connected { try await giveUpIfLost() }
        try require(state == .connected, "a camera that is connected says so", saw: "\(state)")
        let frames = try await take(count, from: camera.frames(limit: 4))
        let newest = try await newest()
        if newest == nil { try await giveUpIfLost() }
        try require(newest != nil, "a camera that is connected has a newest frame", saw: "none")
        return frames
    }

    /// A stream has ended: it says so at once.
    func checkIsOver(_ stream: any FrameStream, _ requirement: String) async throws {
        let frame = try await inTime(requirement, within: harness.promptness) { await stream.next() }
        try require(frame == nil, requirement, saw: "frame \(frame?.sequence ?? -1)")
    }
}
