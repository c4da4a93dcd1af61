import Transport

/// Datagrams of one size, as fast as the receiver confirms them.
///
/// After every ``window`` datagrams the receiver sends an empty one back, and the sender is at most two windows ahead, which
/// the system's default receive buffer holds: none is lost, and neither side waits while the other is busy.
enum DatagramBurst {
    static let bytes = 1_400
    static let window = 32
    static let options = DatagramOptions(receiveBufferBytes: 1 << 20)

    /// Confirms every window until the socket is closed.
    static func take(from socket: any DatagramSocket) async throws {
        var count = 0
        while true {
            for datagram in try await socket.receive(atMost: window) where datagram.bytes.count == bytes {
                count += 1
                if count.isMultiple(of: window) { try await socket.send([], to: datagram.source) }
            }
        }
    }

    /// Sends so many windows; the last is confirmed when this returns.
    @concurrent static func send(windows: Int, from socket: any DatagramSocket, to peer: Endpoint)
        async throws
    {
        let payload = [UInt8](repeating: 120, count: bytes)
        var confirmed = 0
        for sent in 0..<windows {
            for _ in 0..<window { try await socket.send(payload, to: peer) }
            while confirmed < sent { confirmed += try await socket.receive(atMost: window).count }
        }
        while confirmed < windows { confirmed += try await socket.receive(atMost: window).count }
    }
}

/// The same with plain sockets: one system call for a datagram.
enum RawDatagrams {
    static func take(from socket: RawSocket) {
        socket.setReceiveBuffer(DatagramBurst.options.receiveBufferBytes ?? 0)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var count = 0
        // The first datagram only says who sends.
        guard (try? socket.connectToFirstSender()) != nil else { return }
        while true {
            let size = socket.read(into: &buffer)
            guard size == DatagramBurst.bytes else { continue }
            count += 1
            if count.isMultiple(of: DatagramBurst.window) { socket.confirm() }
        }
    }

    static func send(windows: Int, from socket: RawSocket) throws {
        let payload = [UInt8](repeating: 120, count: DatagramBurst.bytes)
        for sent in 0..<windows {
            for _ in 0..<DatagramBurst.window {
                guard socket.write(payload[...]) else { throw RawSocket.Failed(call: "send") }
            }
            if sent > 0 { try socket.awaitConfirmation() }
        }
        try socket.awaitConfirmation()
    }
}
