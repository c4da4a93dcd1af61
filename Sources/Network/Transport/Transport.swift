/// Everything that a client of the network needs.
///
/// Two families implement it: live sockets, and the simulated network. Product code takes a `Transport` and
/// cannot tell which it got.
public protocol Transport: HTTPClient, WebSocketClient, DatagramNetwork {}
