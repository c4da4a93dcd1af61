import Glibc

/// A socket of the system on 127.0.0.1 with blocking calls, for peers that show what the machine itself can do.
final class RawSocket: Sendable {
    struct Failed: Error {
        var call: String
        var code = errno
    }

    enum Kind { case stream, datagram }

    private let descriptor: Int32

    init(_ kind: Kind) throws {
        let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        descriptor = socket(AF_INET, Int32(type.rawValue), 0)
        guard descriptor >= 0 else { throw Failed(call: "socket") }
    }

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Binds to a port that the system chooses, and returns it.
    func bind() throws -> UInt16 {
        var address = Self.address(port: 0)
        guard unsafe Self.call(Glibc.bind, descriptor, &address) == 0 else { throw Failed(call: "bind") }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let known = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
        }
        guard known == 0 else { throw Failed(call: "getsockname") }
        return UInt16(bigEndian: address.sin_port)
    }

    func listen() throws {
        guard Glibc.listen(descriptor, 1) == 0 else { throw Failed(call: "listen") }
    }

    func accept() throws -> RawSocket {
        let accepted = Glibc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { throw Failed(call: "accept") }
        return RawSocket(descriptor: accepted)
    }

    func connect(to port: UInt16) throws {
        var address = Self.address(port: port)
        guard unsafe Self.call(Glibc.connect, descriptor, &address) == 0 else {
            throw Failed(call: "connect")
        }
    }

    /// Connects a datagram socket to whoever sends first, and takes that datagram.
    func connectToFirstSender() throws {
        var address = Self.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var byte: UInt8 = 0
        let count = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            let pointer = unsafe bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            return unsafe recvfrom(descriptor, &byte, 1, 0, pointer, &size)
        }
        guard count >= 0, unsafe Self.call(Glibc.connect, descriptor, &address) == 0 else {
            throw Failed(call: "recvfrom")
        }
    }

    /// The size of the receive buffer, which the system may cut.
    func setReceiveBuffer(_ bytes: Int) {
        var value = Int32(bytes)
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVBUF,
            &value,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    /// Gives up on what does not come within so many seconds.
    func limitWaiting(seconds: Int = 1) {
        var second = timeval(tv_sec: seconds, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &second,
            socklen_t(MemoryLayout<timeval>.size)
        )
    }

    /// Reads once, and returns how many bytes came; 0 at the end and after an error.
    func read(into buffer: inout [UInt8], atMost limit: Int = .max) -> Int {
        unsafe max(0, Glibc.recv(descriptor, &buffer, min(buffer.count, limit), 0))
    }

    /// Waits until there is something to read, or an end, and returns which of the sockets have it; none after a minute.
    static func awaitReadable(_ sockets: [RawSocket]) -> [Int] {
        var entries = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        guard unsafe poll(&entries, nfds_t(entries.count), 60_000) > 0 else { return [] }
        return entries.indices.filter { entries[$0].revents != 0 }
    }

    /// Whether all bytes could be written.
    func write(_ bytes: ArraySlice<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBytes { all in
            var rest = unsafe all[...]
            while let start = unsafe rest.isEmpty ? nil : UnsafeRawBufferPointer(rebasing: rest).baseAddress {
                let count = unsafe send(descriptor, start, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                unsafe rest = rest.dropFirst(count)
            }
            return true
        }
    }

    /// Sends an empty datagram.
    func confirm() { _ = send(descriptor, nil, 0, 0) }

    /// Waits for a datagram.
    func awaitConfirmation() throws {
        var byte: UInt8 = 0
        guard unsafe recv(descriptor, &byte, 1, 0) >= 0 else { throw Failed(call: "recv") }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian  // 127.0.0.1
        address.sin_port = port.bigEndian
        return address
    }

    private typealias AddressCall = (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32

    private static func call(_ function: AddressCall, _ socket: Int32, _ address: inout sockaddr_in)
        -> Int32
    {
        unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe function(
                socket,
                bytes.assumingMemoryBound(to: sockaddr.self).baseAddress,
                socklen_t(bytes.count)
            )
        }
    }
}
