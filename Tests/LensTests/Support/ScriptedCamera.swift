import Concurrency
import Lens
import Services
import Synchronization

/// A camera that shows the picture that the test has put before it.
final class ScriptedCamera: CameraSource {
    let calls = CurrentValue<[String]>([])
    private let name: String
    private let log: CurrentValue<[String]>?
    private let frame = Mutex<VideoFrame?>(nil)
    private let failure: CameraError?
    /// While false, connecting waits.
    let connects = CurrentValue(true)
    /// While false, disconnecting waits.
    let disconnects = CurrentValue(true)
    /// Whether a connecting that waits goes on waiting when it is cancelled, as a driver may that hangs.
    private let hangs: Bool
    private let currentState = CameraStates()
    private let queues = Mutex<[FrameQueue]>([])
    private let offered = Mutex(CameraCapabilities(zoom: 1...8, hasFocusPoint: true))

    init(
        _ name: String = "camera",
        log: CurrentValue<[String]>? = nil,
        failure: CameraError? = nil,
        hangs: Bool = false
    ) {
        self.name = name
        self.log = log
        self.failure = failure
        self.hangs = hangs
    }

    func show(_ number: Int) {
        show(
            VideoFrame(
                sequence: number,
                timestamp: .milliseconds(number),
                size: nil,
                content: .jpeg([UInt8(truncatingIfNeeded: number)])
            )
        )
    }

    func show(_ new: VideoFrame) {
        frame.withLock { $0 = new }
        for queue in queues.withLock(\.self) { queue.add(new) }
    }

    var capabilities: CameraCapabilities {
        get { offered.withLock(\.self) }
        set { offered.withLock { $0 = newValue } }
    }

    func states() -> AsyncStream<CameraState> { currentState.stream() }

    /// What it shows now, and from now on.
    func frames(limit: Int) -> any FrameStream {
        let queue = FrameQueue(limit: limit)
        if let frame = frame.withLock(\.self) { queue.add(frame) }
        queues.withLock { $0.append(queue) }
        return queue
    }

    func apply(_ control: CameraControl) async throws(CameraError) {
        guard capabilities.allows(control) else { throw .configurationFailed }
        note("\(control)")
    }

    /// Goes by itself, as a camera does whose cable is pulled.
    func lose(_ error: CameraError = .deviceNotFound) {
        endFrames()
        currentState.set(.lost(error))
    }

    private func endFrames() {
        let ended = queues.withLock { queues in
            defer { queues = [] }
            return queues
        }
        for queue in ended { queue.end() }
    }

    func hide() { frame.withLock { $0 = nil } }

    func connect() async throws(CameraError) {
        note("connect")
        if hangs {
            await Task { await connects.reaches { $0 } }.value
        } else {
            await connects.reaches { $0 }
            if Task.isCancelled { throw .unknown(CancellationError()) }
        }
        if let failure { throw failure }
        note("connected")
        currentState.set(.connected)
    }

    func disconnect() async {
        note("disconnect")
        endFrames()
        if !disconnects.value {
            await Task { [disconnects] in await disconnects.reaches { $0 } }.value
            note("disconnected")
        }
        currentState.set(.disconnected)
    }

    func latestFrame() async -> VideoFrame? { frame.withLock { $0 } }

    private func note(_ call: String) {
        calls.update { $0.append(call) }
        log?.update { $0.append("\(name) \(call)") }
    }
}

/// Takes a JPEG frame's bytes as they are, and refuses pictures of the given numbers.
struct PassingEncoder: FrameEncoder {
    struct Refusal: Error {}

    var refused: Set<UInt8> = []

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        guard case .jpeg(let bytes) = frame.content, let first = bytes.first, !refused.contains(first) else {
            throw Refusal()
        }
        return bytes
    }
}
