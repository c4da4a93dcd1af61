import Glibc
import LiveTransport

/// A listening socket that accepts nobody and whose backlog is full: the system answers no further attempt to connect.
enum FullListener {
    static func run(_ body: (Int) async throws -> Void) async throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = SystemV4(address: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<SystemV4>.size)
        unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = unsafe bind(listener, pointer, length)
                _ = listen(listener, 0)
                _ = unsafe getsockname(listener, pointer, &length)
            }
        }
        // With a backlog of 0, Linux keeps one connection that was not accepted; the others make sure.
        let waiting = (0..<3).map { _ in
            socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        }
        for descriptor in waiting {
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = unsafe connect(descriptor, pointer, length)
                }
            }
        }
        defer { for descriptor in waiting + [listener] { close(descriptor) } }
        try await body(Int(UInt16(bigEndian: address.port)))
    }
}
