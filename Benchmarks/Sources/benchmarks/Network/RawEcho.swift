import Foundation

/// A TCP connection over loopback to a process that sends back what it reads: what the machine itself can do.
struct RawEcho: Sendable {
    private let client: RawSocket

    /// Connects to the port of a peer.
    init(_ port: String) throws {
        client = try RawSocket(.stream)
        try client.connect(to: UInt16(port) ?? 0)
    }

    /// Serves one connection in a thread of its own, and returns its port.
    static func serve() throws -> UInt16 {
        let listener = try RawSocket(.stream)
        let port = try listener.bind()
        try listener.listen()
        Thread.detachNewThread {
            guard let server = try? listener.accept() else { return }
            // Ends when the client closes.
            var buffer = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let count = server.read(into: &buffer)
                guard count > 0, server.write(buffer[..<count]) else { return }
            }
        }
        return port
    }

    /// Sends and receives at once, as the benchmark of ours does.
    func exchange(bytes: Int, messages: Int) throws {
        Thread.detachNewThread { [client] in
            let message = [UInt8](repeating: 120, count: bytes)
            for _ in 0..<messages { guard client.write(message[...]) else { return } }
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var missing = bytes * messages
        while missing > 0 {
            let count = client.read(into: &buffer, atMost: missing)
            guard count > 0 else { throw RawSocket.Failed(call: "recv") }
            missing -= count
        }
    }
}
