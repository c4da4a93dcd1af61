/// A bound datagram socket: messages may be lost, duplicated and reordered.
public protocol DatagramSocket: Sendable {
    /// Where others reach this socket.
    var localAddress: SocketAddress { get }

    /// Sends one datagram of at most 65,507 bytes to a peer, or to a multicast group.
    ///
    /// - Throws: `tooLarge`, `closed`, `unreachable`, `cancelled`. Success does not mean arrival.
    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError)

    /// Waits for the next datagram. One task at a time receives.
    ///
    /// - Throws: `closed` after ``close()``, `cancelled`.
    func receive() async throws(TransportError) -> (bytes: [UInt8], source: SocketAddress)

    /// Joins a multicast group (IPv4 224.0.0.0/4, IPv6 ff00::/8).
    ///
    /// - Throws: `addressUnavailable` when it is not a multicast address, `closed`.
    func join(group: String) async throws(TransportError)

    /// Closes the socket; a waiting ``receive()`` throws `closed`.
    func close() async
}

/// Makes datagram sockets.
public protocol DatagramNetwork: Sendable {
    /// Binds a socket; port 0 chooses a free one.
    ///
    /// - Throws: `addressUnavailable`, `cancelled`.
    func bind(_ address: SocketAddress) async throws(TransportError) -> any DatagramSocket
}
