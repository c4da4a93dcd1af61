import CameraSourceConformance
import Conformance
import FakeCamera
import Services
import Synchronization

/// A drawn camera that violates one requirement.
final class WrongCamera: CameraSource {
    /// What is wrong with it.
    let flaw: Flaw
    let base: FakeCamera
    let device: CameraDevice
    private let state = Mutex(State())
    /// What its states are where they are not those of the base.
    private let told = CameraStates()

    private struct State {
        var isConnecting = false
        var wasGivenUp = false
        var connections = 0
        var isOn = false
        var last: VideoFrame?
        var asked = 0
        var lastNumber = 0
        var opened = 0
        var reused: PixelBuffer?
        var shared: (any FrameStream)?
        var zoom = 1.0
        /// A reader was cancelled.
        var isHurt = false
        var isLost = false
        var queues: [FrameQueue] = []
        /// Calls that never return.
        var stuck: [CheckedContinuation<Void, Never>] = []
    }

    init(_ flaw: Flaw, _ device: CameraDevice) {
        (self.flaw, self.device) = (flaw, device)
        var configuration = FakeCamera.Configuration(size: Pictures.size, startup: .milliseconds(20))
        if flaw == .cutFiles || flaw == .otherSize { configuration.format = .jpeg(quality: 50) }
        switch device {
        case .ready: break
        case .absent: configuration.faults = [flaw == .absentIsDenied ? .permissionDenied : .absent]
        case .denied: configuration.faults = [flaw == .deniedIsAbsent ? .absent : .permissionDenied]
        case .hanging: configuration.startup = .seconds(1)
        }
        base = FakeCamera(configuration)
    }

    var openCount: Int { state.withLock { flaw == .leaks ? $0.opened : ($0.isOn ? 1 : 0) } }

    var zoom: Double {
        switch flaw {
        case .zoomIgnored: 1
        case .zoomStays: state.withLock(\.zoom)
        default: base.zoom
        }
    }

    var capabilities: CameraCapabilities {
        var capabilities = base.capabilities
        switch flaw {
        case .capabilitiesChange:
            let asked = state.withLock { state in
                state.asked += 1
                return state.asked
            }
            capabilities.zoom = 1...(3 + Double(asked % 3) / 2)
        case .zoomFromZero: capabilities.zoom = 0...4
        case .otherSize: capabilities.sizes = [PixelSize(width: 640, height: 480)]
        default: break
        }
        return capabilities
    }

    // MARK: Connecting

    func connect() async throws(CameraError) {
        if flaw == .absentConnects, device == .absent { return }
        if flaw == .stuck, state.withLock(\.wasGivenUp) { throw .sessionStartFailed }
        if flaw == .secondJoins, state.withLock(\.isOn) { return }
        if flaw == .secondEndsIt, state.withLock(\.isOn) { await base.disconnect() }
        if flaw == .togetherFail {
            let isFirst = state.withLock { state in
                defer { state.isConnecting = true }
                return !state.isConnecting
            }
            if !isFirst { throw .configurationFailed }
        }
        defer { if flaw == .togetherFail { state.withLock { $0.isConnecting = false } } }
        do throws(CameraError) {
            try await attempt()
        } catch {
            if case .unknown = error {
                state.withLock { $0.wasGivenUp = true }
                if flaw == .givenUpSucceeds { return }
                if flaw == .givenUpBlamesTheDevice { throw .deviceNotFound }
                if flaw == .givenUpHasAnotherCause { throw .unknown(NoPicture()) }
            }
            if flaw == .failureIsConnected { told.set(.connected) }
            if flaw == .failureFlickers {
                told.set(.connected)
                told.set(.disconnected)
            }
            if flaw == .talkative { throw .unknown(Password()) }
            throw error
        }
        state.withLock { state in
            state.isOn = true
            state.isLost = false
            state.opened += 1
            state.connections += 1
        }
    }

    private struct Password: Error { let text = "sesame-1" }
    private struct NoPicture: Error {}

    /// Stays, whatever happens to the task.
    private func hang() async {
        await withCheckedContinuation { stuck in state.withLock { $0.stuck.append(stuck) } }
    }

    private func attempt() async throws(CameraError) {
        switch flaw {
        case .connectHangs where device == .hanging: await hang()
        case .cancellationIsLate, .cancelledGoesOn:
            let base = base
            let connecting = Task { await base.connectingError() }
            if flaw == .cancelledGoesOn, device == .hanging {
                for _ in 0..<1_000 where !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
                if Task.isCancelled { throw .unknown(CancellationError()) }
            }
            if flaw == .cancellationIsLate, device == .hanging {
                try? await Task { try await Task.sleep(for: .seconds(8)) }.value
            }
            if let error = await connecting.value { throw error }
        default: try await base.connect()
        }
    }

    func disconnect() async {
        if flaw == .neverDisconnects { return }
        if flaw == .disconnectWaits { try? await Task.sleep(for: .seconds(7)) }
        let isOn = state.withLock { state in
            if flaw != .framesOfLostWait || !state.isLost { for queue in state.queues { queue.close() } }
            defer {
                state.isOn = false
                state.queues = []
                state.opened = max(0, state.opened - (flaw == .leaks ? 0 : 1))
            }
            return state.isOn
        }
        if flaw == .overtakenGoesOn, device == .hanging, !isOn { return }
        if flaw == .secondDisconnectConnects, !isOn, state.withLock({ $0.connections > 0 }) {
            try? await base.connect()
            return
        }
        await base.disconnect()
        if flaw == .disconnectHangs { await hang() }
    }

    /// Loses the device.
    func lose() {
        state.withLock { $0.isLost = true }
        base.unplug()
    }

    // MARK: States

    func states() -> AsyncStream<CameraState> {
        switch flaw {
        case .failureFlickers: return device == .ready ? base.states() : told.stream()
        case .failureIsConnected: return device == .absent ? told.stream() : base.states()
        case .noFirstState: return changed { number, state in number == 0 ? [] : [state] }
        case .tellsTwice: return changed { number, state in number > 1 ? [state, state] : [state] }
        case .keepsDisconnects:
            return changed { number, state in number > 0 && state == .disconnected ? [] : [state] }
        case .keepsLosses: return changed { _, state in if case .lost = state { [] } else { [state] } }
        case .lossHasNoName:
            return changed { _, state in
                if case .lost = state { [.lost(.configurationFailed)] } else { [state] }
            }
        case .lossIsDisconnect:
            return changed { _, state in if case .lost = state { [.disconnected] } else { [state] } }
        case .losesTwice:
            return changed { _, state in if case .lost = state { [state, state] } else { [state] } }
        default: return base.states()
        }
    }

    private func changed(_ change: @escaping @Sendable (Int, CameraState) -> [CameraState]) -> AsyncStream<
        CameraState
    > {
        let (stream, told) = AsyncStream.makeStream(of: CameraState.self)
        let states = base.states()
        let task = Task {
            var number = 0
            for await state in states {
                for state in change(number, state) { told.yield(state) }
                number += 1
            }
        }
        told.onTermination = { _ in task.cancel() }
        return stream
    }

    // MARK: Frames

    func latestFrame() async -> VideoFrame? {
        let frame = await base.latestFrame()
        switch flaw {
        case .keepsLastFrame:
            return state.withLock { state in
                if let frame { state.last = frame }
                return state.last
            }
        case .keepsFrameOfLost:
            return state.withLock { state in
                if let frame { state.last = frame }
                return state.isOn ? state.last : nil
            }
        case .newestIsOld:
            guard let frame, frame.sequence > 2 else { return frame }
            return base.frame(frame.sequence - 2)
        case .newestWaits:
            if frame != nil { try? await Task.sleep(for: .seconds(6)) }
            return await base.latestFrame()
        default: return frame.map { spoilt($0) }
        }
    }

    func frames(limit: Int) -> any FrameStream {
        switch flaw {
        case .unboundedStreams: return WrongStream(base.frames(limit: 1_000), self)
        case .shortStreams: return WrongStream(base.frames(limit: 1), self)
        case .framesOfLostWait, .readersOfLostWait: return pumped(limit)
        case .sharedStream:
            return state.withLock { state in
                let shared = state.shared ?? base.frames(limit: limit)
                state.shared = shared
                return WrongStream(shared, self)
            }
        default: return WrongStream(base.frames(limit: limit), self)
        }
    }

    /// Frames that a task puts into a queue, as of a device that delivers them by itself.
    private func pumped(_ limit: Int) -> FrameQueue {
        let (queue, frames) = (FrameQueue(limit: limit), base.frames(limit: limit))
        state.withLock { $0.queues.append(queue) }
        Task {
            while let frame = await frames.next() { queue.add(frame) }
            if flaw != .readersOfLostWait || !state.withLock(\.isLost) { queue.end() }
        }
        return queue
    }

    func spoilt(_ frame: VideoFrame) -> VideoFrame {
        var frame = frame
        switch flaw {
        case .numbersRepeat: frame.sequence /= 2
        case .timesFall: frame.timestamp = .seconds(frame.sequence.isMultiple(of: 3) ? 0.2 : 0.3)
        case .timesOfTheFuture: frame.timestamp += .seconds(100)
        case .numbersGoOn: frame.sequence += state.withLock { ($0.connections - 1) * 1_000 }
        case .wrongSizeIsNamed: frame.size = PixelSize(width: 320, height: 240)
        case .cutFiles:
            if case .jpeg(let file) = frame.content { frame.content = .jpeg(Array(file.prefix(300))) }
        case .reusedMemory:
            guard case .pixels(let picture) = frame.content else { break }
            let reused = state.withLock { state in
                let reused = state.reused ?? PixelBuffer(size: picture.size, layout: picture.layout)
                state.reused = reused
                return reused
            }
            unsafe reused.withMutableBytes { bytes in
                unsafe picture.withBytes { unsafe bytes.copyMemory(from: $0) }
            }
            frame.content = .pixels(reused)
        default: break
        }
        return frame
    }

    func isOver() -> Bool { state.withLock { !$0.isOn } }
    func hurt() { state.withLock { $0.isHurt = true } }
    var isHurt: Bool { state.withLock(\.isHurt) }

    // MARK: Controls

    func apply(_ control: CameraControl) async throws(CameraError) {
        switch flaw {
        case .controlsWhenOff: if isOver() { return }
        case .controlsOfLost:
            do throws(CameraError) { try await base.apply(control) } catch {
                if error == .deviceNotFound, !isOver() { return }
                throw error
            }
            return
        case .anyControl: if !isOver() { return }
        case .noControl: if !isOver() { throw .configurationFailed }
        case .controlEndsFrames:
            try await base.apply(control)
            await base.disconnect()
            return
        default: break
        }
        try await base.apply(control)
        if case .zoom(let level) = control { state.withLock { $0.zoom = level } }
    }
}

/// The frames of a wrong camera.
final class WrongStream: FrameStream {
    private let base: any FrameStream
    private let camera: WrongCamera
    private let old: Mutex<[VideoFrame]>
    private let isFirst = Mutex(true)

    init(_ base: any FrameStream, _ camera: WrongCamera) {
        (self.base, self.camera) = (base, camera)
        old = Mutex([])
    }

    var dropped: Int {
        switch camera.flaw {
        case .dropsAreNotCounted: 0
        case .dropsAreCountedTwice: 2 * base.dropped
        default: base.dropped
        }
    }

    func next() async -> VideoFrame? {
        if camera.flaw == .cancelledReaderEndsAll {
            if camera.isHurt { return nil }
            if Task.isCancelled { camera.hurt() }
        }
        if camera.flaw == .streamsBeginOld,
            isFirst.withLock({ first in
                defer { first = false }
                return first
            })
        {
            return camera.base.frame(0)
        }
        let frame = await base.next()
        switch camera.flaw {
        case .waitingFrameIsRead:
            if let frame { old.withLock { $0 = [frame] } }
            return frame ?? old.withLock { $0.popLast() }
        case .readersWaitForever:
            if frame == nil, !Task.isCancelled { try? await Task.sleep(for: .seconds(100)) }
            return frame
        default: return frame.map { camera.spoilt($0) }
        }
    }
}

struct WrongCameraHarness: CameraSourceHarness {
    let flaw: WrongCamera.Flaw
    var patience: Duration = .seconds(30)
    var promptness: Duration = .seconds(5)
    let secrets = ["sesame-1"]
    var capabilities: Set<HarnessCapability> {
        let looksForItself = flaw == .neverBack || flaw == .recoveryCountsAnew
        return Set(HarnessCapability.allCases).subtracting(looksForItself ? [] : [.recovery])
    }

    func makeCamera(_ device: CameraDevice) -> WrongCamera { WrongCamera(flaw, device) }
    func lose(_ camera: WrongCamera) { camera.lose() }

    func giveBack(_ camera: WrongCamera) async throws {
        camera.base.plug()
        // A camera that looks for itself.
        if flaw == .comesBack || flaw == .recoveryCountsAnew, !camera.isOver() {
            try await camera.base.connect()
        }
    }

    func zoom(of camera: WrongCamera) -> Double { camera.zoom }
    func openCount(of camera: WrongCamera) -> Int { camera.openCount }
}

extension FakeCamera {
    /// Connects, and returns why that has failed.
    fileprivate func connectingError() async -> CameraError? {
        do throws(CameraError) { try await connect() } catch { return error }
        return nil
    }
}
