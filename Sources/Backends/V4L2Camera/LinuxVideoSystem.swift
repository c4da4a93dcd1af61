import CV4L2
import Glibc
import Synchronization
public import VideoSystem

/// The video devices of this machine.
public struct LinuxVideoSystem: VideoSystem {
    /// Makes it.
    public init() {}

    /// What the kernel lists in `/sys/class/video4linux`, and where that is not mounted, what is in `/dev`.
    public func nodes() async throws(SystemError) -> [String] {
        for folder in ["/sys/class/video4linux", "/dev"] {
            guard let listing = unsafe opendir(folder) else {
                // The class appears with the first driver.
                if errno == ENOENT || errno == EACCES { continue }
                throw SystemError(errno)
            }
            defer { unsafe closedir(listing) }
            var names: [String] = []
            while let entry = unsafe readdir(listing), names.count < Self.mostNodes {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                if VideoNodeName.isOne(name) { names.append(name) }
            }
            return names
        }
        return []
    }

    /// More nodes than the kernel has numbers for.
    private static let mostNodes = 1024

    /// Opens a node, on the thread that then belongs to it.
    public func open(_ path: String) async throws(SystemError) -> any VideoDevice {
        let thread = try DeviceThread()
        let descriptor = await thread.perform { unsafe cv4l2_open(path) }
        guard descriptor >= 0 else {
            thread.end()
            throw SystemError(-descriptor)
        }
        return LinuxVideoDevice(descriptor, thread)
    }
}

/// Names of capture nodes.
enum VideoNodeName {
    /// Whether it is `video` with a number.
    static func isOne(_ name: String) -> Bool {
        name.hasPrefix("video") && number(name) != nil
    }

    /// The number, by which nodes are listed.
    static func number(_ name: String) -> Int? {
        let digits = name.dropFirst("video".count)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(digits)
    }
}

/// An open device, with a thread for what blocks.
private final class LinuxVideoDevice: VideoDevice {
    /// -1 once it is closed: the number may be another file's then.
    private let descriptor: Mutex<Int32>
    private let thread: DeviceThread

    init(_ descriptor: Int32, _ thread: DeviceThread) {
        self.descriptor = Mutex(descriptor)
        self.thread = thread
    }

    func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await thread.perform(work)
    }

    @unsafe func request(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        let descriptor = descriptor.withLock(\.self)
        return unsafe descriptor < 0 ? ENODEV : cv4l2_ioctl(descriptor, request, argument)
    }

    @unsafe func map(length: Int, offset: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer {
        let memory = unsafe mmap(
            nil,
            length,
            PROT_READ | PROT_WRITE,
            MAP_SHARED,
            descriptor.withLock(\.self),
            offset
        )
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { throw SystemError(errno) }
        return unsafe UnsafeMutableRawBufferPointer(start: memory, count: length)
    }

    @unsafe func unmap(_ memory: UnsafeMutableRawBufferPointer) {
        unsafe munmap(memory.baseAddress, memory.count)
    }

    func wait(for patience: Duration) async -> VideoReadiness {
        let events = await thread.wait(for: descriptor.withLock(\.self), patience)
        if events & Int32(POLLHUP) != 0 { return .hungUp }
        if events & Int32(POLLERR | POLLNVAL) != 0 { return .failed }
        return events & Int32(POLLIN) != 0 ? .readable : .timedOut
    }

    func close() async {
        await thread.perform { [self] in
            descriptor.withLock { descriptor in
                if descriptor >= 0 { _ = Glibc.close(descriptor) }
                descriptor = -1
            }
        }
        thread.end()
    }
}
