import Concurrency
import PPPP
import Services
import Synchronization
package import Transport

/// What keeps one camera connected: attempts, their state, and the frames that they bring.
///
/// It is made at the first connection, and lives as long as its camera object.
package final class VeepaEngine: Sendable {
    private let network: any DatagramNetwork
    private let options: VeepaOptions
    let state = CurrentValue(VeepaConnectionState.disconnected(nil), backlog: 64)
    /// The same for those who know cameras alone: attempts do not show.
    let cameraStates = CameraStates()
    let frames: FrameBuffer
    private let counted = Mutex(Counted())
    private let link = Mutex<CameraLink?>(nil)

    private struct Counted {
        var connectedAt: ContinuousClock.Instant?
        /// Numbers of frames, dropped ones included.
        var sequence = 0
        /// Of all links that are over.
        var earlier = VeepaStatistics()
        var here = VeepaStatistics()
        var hear: (@Sendable (VeepaSound) -> Void)?
    }

    package init(_ network: any DatagramNetwork, _ options: VeepaOptions) {
        (self.network, self.options) = (network, options)
        frames = FrameBuffer(capacity: options.framesKept)
    }

    // MARK: Attempts

    /// Connects, and keeps connected until the task is cancelled or there is no more hope.
    ///
    /// - Parameter first: Called once, with the outcome of the first attempt.
    package func run(
        _ credentials: VeepaCredentials,
        first: (Result<Void, VeepaConnectionError>) -> Void
    ) async {
        counted.withLock { $0 = Counted(connectedAt: .now, hear: $0.hear) }
        frames.open()
        var hasConnected = false
        var attempt = 0
        while true {
            let failure = await hold(credentials) {
                attempt = 0
                if !hasConnected { first(.success(())) }
                hasConnected = true
            }
            frames.clear()
            if Task.isCancelled || failure.code == .cancelled {
                end(nil)
                if !hasConnected { first(.failure(cancelled(credentials))) }
                return
            }
            attempt += 1
            guard hasConnected, failure.isTransient,
                let wait = options.reconnect.jitteredWait(beforeRetry: attempt)
            else {
                end(failure, wasConnected: hasConnected)
                if !hasConnected { first(.failure(failure)) }
                return
            }
            state.set(.reconnecting(after: failure, attempt: attempt))
            // Once, with the reason of the loss: attempts that fail change nothing.
            if cameraStates.state == .connected { cameraStates.set(.lost(.unknown(failure))) }
            do { try await Task.sleep(for: wait.sleepable) } catch { return end(nil) }
        }
    }

    private func end(_ reason: VeepaConnectionError?, wasConnected: Bool = false) {
        frames.close()
        state.set(.disconnected(reason))
        cameraStates.set(wasConnected ? reason.map { .lost(.unknown($0)) } ?? .disconnected : .disconnected)
    }

    private func cancelled(_ credentials: VeepaCredentials) -> VeepaConnectionError {
        VeepaConnectionError(.cancelled, operation: "connect", camera: "\(credentials.id)")
    }

    /// Makes one attempt, and returns why it is over.
    private func hold(_ credentials: VeepaCredentials, connected: () -> Void) async -> VeepaConnectionError {
        state.set(.searching)
        let link: CameraLink
        do throws(TransportError) {
            link = try await makeLink(credentials)
        } catch {
            if error.code == .cancelled { return cancelled(credentials) }
            return VeepaConnectionError(
                .network,
                operation: "open a socket",
                camera: "\(credentials.id)",
                detail: error.code.rawValue
            )
        }
        self.link.withLock { $0 = link }
        let running = Task { await link.run() }
        let failure: VeepaConnectionError
        do throws(VeepaConnectionError) {
            try await logIn(over: link)
            connected()
            failure = try await stream(over: link)
        } catch {
            failure = error
        }
        // A task of its own: what is cancelled could send nothing.
        await Task { await link.close() }.value
        running.cancel()
        await running.value
        let statistics = await link.statistics
        self.link.withLock { $0 = nil }
        counted.withLock { $0.earlier.add(statistics) }
        return failure
    }

    private func makeLink(_ credentials: VeepaCredentials) async throws(TransportError) -> CameraLink {
        let place = try await network.bindForCameras(options)
        return CameraLink(
            socket: place.socket,
            targets: place.targets,
            own: place.own,
            credentials,
            options
        ) { [weak self] unit, dropped in
            self?.take(unit, dropped)
        }
    }

    private func logIn(over link: CameraLink) async throws(VeepaConnectionError) {
        try await link.open { state.set(.handshaking) }
        state.set(.loggingIn)
        try await link.expect(.logIn, within: options.loginTimeout)
        try await link.expect(.startVideo(options.quality))
        await link.expectFrames()
        state.set(.connected)
        cameraStates.set(.connected)
    }

    /// Watches over a connection until it is lost.
    private func stream(over link: CameraLink) async throws(VeepaConnectionError) -> VeepaConnectionError {
        var lastStatus = ContinuousClock.now
        var isAsked = false
        while true {
            let wake = await link.loss.wait(atMost: .milliseconds(500))
            if let failure = await link.failure { return failure }
            if wake == .cancelled {
                return VeepaConnectionError(.cancelled, operation: "hold the connection")
            }
            let now = ContinuousClock.now
            let silence = await now - link.lastFrame
            if silence < options.frameSilence {
                isAsked = false
            } else if silence >= options.frameSilence * 2 {
                return VeepaConnectionError(
                    .linkLost,
                    operation: "receive frames",
                    detail: "none has come for \(silence)"
                )
            } else if !isAsked {
                isAsked = true
                try await link.send(.startVideo(options.quality))
            }
            if now - lastStatus >= options.statusInterval {
                lastStatus = now
                try await link.send(.readStatus)
            }
        }
    }

    // MARK: Frames

    private func take(_ unit: MediaUnit, _ dropped: Int) {
        let now = ContinuousClock.now
        let (frame, hear) = counted.withLock { counted -> (VideoFrame?, (@Sendable (VeepaSound) -> Void)?) in
            switch unit.kind {
            case .h264, .h264Key:
                counted.here.undecodedFrames += 1
                return (nil, nil)
            case .audio:
                counted.here.audioFrames += 1
                return (nil, counted.hear)
            case .jpeg: break
            }
            counted.here.frames += 1
            counted.sequence += dropped
            defer { counted.sequence += 1 }
            let frame = VideoFrame(
                sequence: counted.sequence,
                timestamp: now - (counted.connectedAt ?? now),
                size: unit.shape.map { PixelSize(width: $0.width, height: $0.height) },
                content: .jpeg(unit.bytes)
            )
            return (frame, nil)
        }
        if let frame { frames.append(frame) }
        hear?(VeepaSound(number: unit.number, bytes: unit.bytes))
    }

    func hear(_ hear: (@Sendable (VeepaSound) -> Void)?) { counted.withLock { $0.hear = hear } }

    var statistics: VeepaStatistics {
        get async {
            let present = await link.withLock { $0 }?.statistics ?? VeepaStatistics()
            return counted.withLock { counted in
                var all = counted.here
                all.add(counted.earlier)
                all.add(present)
                return all
            }
        }
    }

    // MARK: Asking

    func request(_ command: CameraCommand) async throws(VeepaConnectionError) -> CameraReply {
        guard let link = link.withLock({ $0 }) else {
            throw VeepaConnectionError(.notConnected, operation: command.operation)
        }
        return try await link.expect(command)
    }
}

extension CameraLink {
    /// Sends a command, and throws unless the camera does it.
    @discardableResult
    func expect(
        _ command: CameraCommand,
        within limit: Duration? = nil
    ) async throws(VeepaConnectionError) -> CameraReply {
        let reply = try await request(command, within: limit)
        func error(_ code: VeepaConnectionError.Code, _ detail: String = "") -> VeepaConnectionError {
            VeepaConnectionError(code, operation: command.operation, camera: camera, detail: detail)
        }
        switch reply {
        case .done, .status, .networks, .picture: return reply
        case .rejected(let code): throw error(.authenticationRejected, "result \(code)")
        case .wrongCamera: throw error(.wrongCamera)
        case .full: throw error(.busy)
        case .refused(let code): throw error(.refused, "result \(code)")
        case .unsupported: throw error(.refused, "it does not know the command")
        }
    }
}

extension VeepaStatistics {
    fileprivate mutating func add(_ other: VeepaStatistics) {
        frames += other.frames
        badFrames += other.badFrames
        undecodedFrames += other.undecodedFrames
        audioFrames += other.audioFrames
        duplicates += other.duplicates
        disordered += other.disordered
        foreign += other.foreign
        malformed += other.malformed
    }
}
