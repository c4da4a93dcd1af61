/// A bound datagram socket: messages may be lost, duplicated and reordered.
///
/// What arrives and is not yet received waits in the socket's receive buffer, which is bounded in bytes. When it is full, the
/// *newest* datagram is lost, the one that has just arrived, as in the systems' own buffers: what is received is
/// always a run of datagrams from the oldest on, without the ones that found no room. Besides their payload, systems
/// count something for each datagram, so that fewer fit than the payload alone suggests.
///
/// A datagram that is larger than the network's packets is cut into fragments, and lost when one of these is.
public protocol DatagramSocket: Sendable {
    /// The address to which the socket is bound, with the chosen port.
    ///
    /// The address is unspecified (`0.0.0.0`, `::`) for a socket that was bound to all addresses of its host.
    var localAddress: Endpoint { get }

    /// Sends one datagram of at most 65,507 bytes to a peer, a multicast group or a broadcast address.
    ///
    /// - Throws: `tooLarge`, `closed`, `unreachable` without a route, `addressUnavailable` for a broadcast address
    ///   without ``DatagramOptions/allowsBroadcast``, `cancelled`. Success does not mean arrival.
    func send(_ bytes: [UInt8], to destination: Endpoint) async throws(TransportError)

    /// Sends one datagram to a host whose name may have to be resolved; every call resolves it again.
    ///
    /// - Throws: As for an endpoint, and `unreachable` when the name is not found.
    func send(_ bytes: [UInt8], to destination: SocketAddress) async throws(TransportError)

    /// Waits until there is a datagram, and returns as many as are there, oldest first. One task at a time receives.
    ///
    /// A task that is cancelled while it waits loses no datagram.
    ///
    /// - Parameter count: How many datagrams are returned at most, at least 1.
    /// - Throws: `closed` after ``close()``, also when something is left in the buffer; `cancelled`.
    func receive(atMost count: Int) async throws(TransportError) -> [Datagram]

    /// Joins a multicast group (IPv4 224.0.0.0/4, IPv6 ff00::/8); joining it again changes nothing.
    ///
    /// The socket receives what is sent to the group and its own port on that interface, also by sockets of its own host, when
    /// it is bound to all addresses or to the group.
    ///
    /// - Parameters:
    ///   - group: The group's address.
    ///   - interface: The interface's name; `nil` for the one of ``DatagramOptions/multicastInterface``, or the system's choice.
    /// - Throws: `addressUnavailable` when it is not a multicast address or there is no such interface, `closed`.
    func join(_ group: IPAddress, on interface: String?) async throws(TransportError)

    /// Leaves a multicast group; what waits in the receive buffer stays there.
    ///
    /// - Parameters:
    ///   - group: The group's address.
    ///   - interface: As it was joined.
    /// - Throws: `addressUnavailable` when the socket has not joined it there, `closed`.
    func leave(_ group: IPAddress, on interface: String?) async throws(TransportError)

    /// Closes the socket; a waiting ``receive(atMost:)`` throws `closed`.
    func close() async
}

extension DatagramSocket {
    /// Waits for the next datagram.
    ///
    /// - Throws: As ``receive(atMost:)``.
    public func receive() async throws(TransportError) -> Datagram {
        while true {
            if let datagram = try await receive(atMost: 1).first { return datagram }
        }
    }

    /// Joins a multicast group on the interface of the socket's options.
    ///
    /// - Throws: As ``join(_:on:)``.
    public func join(_ group: IPAddress) async throws(TransportError) { try await join(group, on: nil) }

    /// Leaves a multicast group that was joined on the interface of the socket's options.
    ///
    /// - Throws: As ``leave(_:on:)``.
    public func leave(_ group: IPAddress) async throws(TransportError) { try await leave(group, on: nil) }
}
