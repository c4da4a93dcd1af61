/// Where peers of any protocol are hosted: servers of HTTP and WebSocket, and those that speak datagrams.
///
/// A simulated camera, relay or responder takes a `PeerHost`, and runs on the simulated network and on real sockets alike.
public protocol PeerHost: ServerHost, DatagramNetwork {}
