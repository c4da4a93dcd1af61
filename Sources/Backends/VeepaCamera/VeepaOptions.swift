public import Concurrency
public import PPPP
public import Transport

/// How a Wi-Fi camera is looked for, and how patient the client is.
public struct VeepaOptions: Sendable, Hashable {
    /// How good the pictures are.
    public enum Quality: Sendable, Hashable, CaseIterable {
        /// The smallest pictures, such as 320×240.
        case low
        /// Such as 640×480.
        case general
        /// The largest.
        case high
    }

    /// What the camera speaks; `nil` for what the prefix of its ID says.
    public var framing: CommandFraming?
    /// Where it is searched; `nil` for the broadcast addresses of this host's networks.
    ///
    /// Cameras wait at UDP port 32108 for searches.
    public var searchTargets: [Endpoint]?
    /// Where the client's socket is bound.
    public var localAddress: SocketAddress = SocketAddress(host: "0.0.0.0", port: 0)
    /// How good the pictures are.
    public var quality: Quality = .general
    /// How long the camera is looked for.
    public var findTimeout: Duration = .seconds(15)
    /// How long it is looked for where directory servers are asked too, and relays.
    public var remoteTimeout: Duration = .seconds(40)
    /// The UDP port of directory servers.
    public var directoryPort: Int = 32_100
    /// How long the camera may take to be ready, once it has answered.
    public var handshakeTimeout: Duration = .seconds(10)
    /// How long it may take to check user and password.
    public var loginTimeout: Duration = .seconds(15)
    /// How long other answers may take.
    public var replyTimeout: Duration = .seconds(5)
    /// How long frames may stay away before they are asked for again; twice as long, and the connection counts as lost.
    public var frameSilence: Duration = .seconds(5)
    /// How often the camera is asked for its status, without which some end the session.
    public var statusInterval: Duration = .seconds(45)
    /// How soon and how often a lost connection is tried again.
    public var reconnect: RetryPolicy = RetryPolicy(retries: 1000, first: .seconds(1), longest: .seconds(30))
    /// How many frames wait for a reader at most; older ones are dropped.
    public var framesKept: Int = 32
    /// The largest picture that is taken.
    public var frameBytes: Int = 8 * 1024 * 1024

    /// Options for a camera on the local network.
    public init() {}

    /// The port at which cameras wait for searches.
    public static let searchPort: Int = 32_108
}
