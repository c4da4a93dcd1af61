import Foundation
import Glibc

/// A TCP connection over loopback, with a thread that sends back what it reads: what the machine itself can do.
struct RawEcho: Sendable {
    struct Failed: Error {
        var call: String
        var code = errno
    }

    private let client: Connection

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard listener >= 0 else { throw Failed(call: "socket") }
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian  // 127.0.0.1, any port
        guard unsafe Self.call(bind, listener, &address) == 0, listen(listener, 1) == 0 else {
            throw Failed(call: "bind")
        }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutableBytes(of: &address) { bytes in
            unsafe getsockname(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
        }
        client = Connection(descriptor: socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
        guard unsafe Self.call(connect, client.descriptor, &address) == 0 else {
            throw Failed(call: "connect")
        }
        let server = Connection(descriptor: accept(listener, nil, nil))
        guard server.descriptor >= 0 else { throw Failed(call: "accept") }
        Thread.detachNewThread {
            // Ends when the client's object does, and with it the connection.
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = unsafe read(server.descriptor, &buffer, buffer.count)
                guard count > 0, server.write(buffer[..<count]) else { return }
            }
        }
    }

    /// Sends and receives at once, as the benchmark of ours does.
    func messagesPerSecond(bytes: Int, messages: Int) throws -> Double {
        let start = Elapsed.now(CLOCK_MONOTONIC)
        Thread.detachNewThread { [client] in
            let message = [UInt8](repeating: 120, count: bytes)
            for _ in 0..<messages { guard client.write(message[...]) else { return } }
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var missing = bytes * messages
        while missing > 0 {
            let count = unsafe read(client.descriptor, &buffer, min(buffer.count, missing))
            guard count > 0 else { throw Failed(call: "read") }
            missing -= count
        }
        return Double(messages) / (Elapsed.now(CLOCK_MONOTONIC) - start)
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

    private final class Connection: Sendable {
        let descriptor: Int32

        init(descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }

        /// Whether all bytes could be written.
        func write(_ bytes: ArraySlice<UInt8>) -> Bool {
            unsafe bytes.withUnsafeBytes { all in
                var rest = unsafe all[...]
                while let start = unsafe rest.isEmpty
                    ? nil : UnsafeRawBufferPointer(rebasing: rest).baseAddress
                {
                    let count = unsafe send(descriptor, start, rest.count, Int32(MSG_NOSIGNAL))
                    guard count > 0 else { return false }
                    unsafe rest = rest.dropFirst(count)
                }
                return true
            }
        }
    }
}
