import Transport

/// Our address of host and port, under a name that NIO does not use.
typealias Endpoint = SocketAddress
