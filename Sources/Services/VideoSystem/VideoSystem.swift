/// The part of an operating system that has video devices: Linux's, or a simulated one.
///
/// Requests and structures are those of `linux/videodev2.h`, so that a simulated device is spoken to by the same code, byte for
/// byte, as a real one.
public protocol VideoSystem: Sendable {
    /// The names of the nodes that are there, such as `video0`, in no order.
    ///
    /// - Throws: What listing them failed with; a system without any video device has none.
    func nodes() async throws(SystemError) -> [String]

    /// Opens a node without blocking for frames.
    ///
    /// - Throws: As open(2): `EACCES`, `ENOENT`, `ENODEV` and others.
    func open(_ path: String) async throws(SystemError) -> any VideoDevice
}

/// An open video device.
///
/// All calls but ``wait(for:)`` and ``perform(_:)`` are as short as the driver makes them: the ones that may take long are made
/// inside ``perform(_:)``.
public protocol VideoDevice: AnyObject, Sendable {
    /// Runs `work` where a thread may block, one after the other.
    func perform<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value

    /// Makes a request, as ioctl(2).
    ///
    /// - Parameters:
    ///   - request: Its number, of `linux/videodev2.h`.
    ///   - argument: The structure that belongs to the request.
    /// - Returns: 0, or the number of the error; never `EINTR`.
    @unsafe func request(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32

    /// Maps a buffer, as mmap(2), for reading and writing and shared with the driver.
    @unsafe func map(length: Int, offset: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer

    /// Ends a mapping.
    @unsafe func unmap(_ memory: UnsafeMutableRawBufferPointer)

    /// Waits until there is something to take, or something to know, as poll(2).
    ///
    /// One caller at a time. A cancelled task gets ``VideoReadiness/timedOut`` at once.
    func wait(for patience: Duration) async -> VideoReadiness

    /// Closes the device. Must be called once, when nothing of it is mapped.
    ///
    /// Requests that come afterwards, as from somebody who changes a control at the same moment, fail with `ENODEV`; ``perform(_:)``
    /// still runs what it is given.
    func close() async
}

/// Why a wait for a device has ended.
public enum VideoReadiness: Sendable, Hashable {
    /// There may be a frame.
    case readable
    /// The queue has failed, or is not streaming (`POLLERR`).
    case failed
    /// The device has gone (`POLLHUP`).
    case hungUp
    /// Nothing has happened.
    case timedOut
}

/// A system call that failed.
public struct SystemError: Error, Sendable, Hashable {
    /// The number that errno(3) lists.
    public let number: Int32

    /// Keeps a number.
    public init(_ number: Int32) { self.number = number }
}
