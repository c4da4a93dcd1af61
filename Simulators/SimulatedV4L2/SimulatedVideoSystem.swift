import CV4L2
import Glibc
public import PeerKit
import Synchronization
public import VideoSystem

/// A system with video devices of which no part is real.
///
/// - Models: nodes that come and go; the requests that capture through mapped buffers uses, with the structures of
///   `linux/videodev2.h`; one owner of a device's buffers; formats that are nearest to what is asked for; a queue of buffers that are filled
///   each period, frames that are lost without one, waits, the errors of a queue that has failed and of a device that has gone, and
///   mappings that outlive it. A buffer that the driver has is overwritten, so that who reads it sees that.
/// - Does not model: reading without buffers, several planes, user pointers, events, cropping, drivers that take time to copy, and the
///   noise of a real clock.
/// - Faults: those of ``points``, armed in a simulation or by ``faults``; ``unplug(_:)`` and ``plug(_:)``.
/// - Compared with: vivid and v4l2loopback of Linux 6.1 in a virtual machine, where the same checks run (`make test-v4l2`).
///
/// Time is `ContinuousClock`, which a simulation makes virtual.
public final class SimulatedVideoSystem: VideoSystem {
    /// Everything that can go wrong.
    public static let points: [PeerFaultPoint] = V4L2FaultPoints.calls + V4L2FaultPoints.frames

    /// What goes wrong.
    public let faults = PeerFaults(SimulatedVideoSystem.points)
    private let state: Mutex<[String: SimulatedNode]>
    private let calls = Mutex<[String]>([])

    /// Plugs devices in: `video0` and so on.
    public init(_ cameras: [SimulatedVideoCamera]) {
        let named = cameras.enumerated().map { ("video\($0.offset)", SimulatedNode($0.element)) }
        state = Mutex(Dictionary(uniqueKeysWithValues: named))
    }

    /// Pulls a device: its node disappears, and calls on open descriptors fail.
    public func unplug(_ name: String) { state.withLock { $0[name]?.unplug() } }

    /// Puts a device back, as it was at first.
    public func plug(_ name: String) { state.withLock { $0[name]?.isThere = true } }

    /// How often devices are open now.
    public var openCount: Int { state.withLock { $0.values.reduce(0) { $0 + $1.openCount } } }

    /// How many buffers are mapped now.
    public var mappedCount: Int { state.withLock { $0.values.reduce(0) { $0 + $1.mappedCount } } }

    /// The first calls that succeeded, in order, such as `open`, `VIDIOC_S_FMT`, `mmap` and `close`: at most ``mostCalls``.
    public var journal: [String] { calls.withLock(\.self) }

    /// How many calls are kept.
    public static let mostCalls = 1000

    func note(_ call: String) {
        calls.withLock { if $0.count < Self.mostCalls { $0.append(call) } }
    }

    /// What a device's control was set to.
    public func value(of control: UInt32, of name: String) -> Int32? {
        state.withLock { $0[name]?.values[control] }
    }

    /// The nodes that are plugged in.
    public func nodes() async throws(SystemError) -> [String] {
        state.withLock { $0.filter(\.value.isThere).map(\.key).sorted() }
    }

    /// Opens a node, which any number of callers may do.
    public func open(_ path: String) async throws(SystemError) -> any VideoDevice {
        await pass()
        let name = String(path.dropFirst("/dev/".count))
        if let fault = faults.strike(V4L2FaultPoints.open) {
            throw SystemError(Int32(fault.integer("number")))
        }
        let number = state.withLock { nodes -> Int? in
            guard nodes[name]?.isThere == true else { return nil }
            return nodes[name]?.open()
        }
        guard let number else { throw SystemError(ENOENT) }
        note("open")
        return SimulatedVideoDevice(self, name, number)
    }

    /// Lets others run, as a call does that goes to another thread, and takes time where that is armed.
    func pass() async {
        await Task.yield()
        guard let fault = faults.strike(V4L2FaultPoints.slow) else { return }
        // A driver does not hear of a cancellation.
        await Task { try? await Task.sleep(for: fault.time("seconds")) }.value
    }

    func with<Value>(_ name: String, _ body: (inout SimulatedNode) -> sending Value) -> sending Value {
        state.withLock { nodes in
            guard var node = nodes.removeValue(forKey: name) else {
                preconditionFailure("a device that is open has a node")
            }
            defer { nodes[name] = node }
            return body(&node)
        }
    }

    /// Puts a device back after a time.
    func plug(_ name: String, after time: Duration) {
        Task {
            try? await Task.sleep(for: time)
            plug(name)
        }
    }
}

/// One opening of a simulated device.
private final class SimulatedVideoDevice: VideoDevice {
    private let system: SimulatedVideoSystem
    private let name: String
    private let number: Int

    init(_ system: SimulatedVideoSystem, _ name: String, _ number: Int) {
        (self.system, self.name, self.number) = (system, name, number)
    }

    func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await system.pass()
        return work()
    }

    private static let names: [UInt: String] = [
        CV4L2_QUERYCAP: "VIDIOC_QUERYCAP", CV4L2_S_FMT: "VIDIOC_S_FMT", CV4L2_S_PARM: "VIDIOC_S_PARM",
        CV4L2_REQBUFS: "VIDIOC_REQBUFS", CV4L2_QBUF: "VIDIOC_QBUF", CV4L2_DQBUF: "VIDIOC_DQBUF",
        CV4L2_STREAMON: "VIDIOC_STREAMON", CV4L2_STREAMOFF: "VIDIOC_STREAMOFF", CV4L2_S_CTRL: "VIDIOC_S_CTRL",
    ]

    @unsafe func request(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        let faults = system.faults
        let answer = system.with(name) { unsafe $0.answer(request, argument, of: number, faults) }
        if answer == 0, let name = Self.names[request] { system.note(name) }
        return answer
    }

    @unsafe func map(length: Int, offset: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        if let fault = system.faults.strike(V4L2FaultPoints.map) {
            throw SystemError(Int32(fault.integer("number")))
        }
        // As a number, which may leave the lock.
        let address = system.with(name) { node in
            unsafe node.map(length: length, offset: offset, of: number).map { UInt(bitPattern: $0) }
        }
        guard let address, let start = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
            throw SystemError(EINVAL)
        }
        system.note("mmap")
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: length)
    }

    @unsafe func unmap(_ memory: UnsafeMutableRawBufferPointer) {
        let address = UInt(bitPattern: memory.baseAddress)
        system.with(name) { $0.unmap(address) }
    }

    func wait(for patience: Duration) async -> VideoReadiness {
        if let fault = system.faults.strike(V4L2FaultPoints.late) {
            try? await Task.sleep(for: fault.time("seconds"))
        }
        let deadline = ContinuousClock.now + patience
        if system.faults.strike(V4L2FaultPoints.spurious) != nil { return .readable }
        while !Task.isCancelled {
            let (name, number, faults) = (name, number, system.faults)
            let seen = system.with(name) { $0.look(number, faults) }
            if let back = seen.back { system.plug(name, after: back) }
            if let readiness = seen.readiness { return readiness }
            guard ContinuousClock.now < deadline else { return .timedOut }
            try? await Task.sleep(until: min(seen.next, deadline), clock: .continuous)
        }
        return .timedOut
    }

    func close() async {
        await Task.yield()
        system.with(name) { $0.close(number) }
        system.note("close")
    }
}
