public import PPPP
public import Transport

/// What a simulated Wi-Fi camera is, and how it behaves where cameras differ.
public struct VeepaCameraSettings: Sendable {
    /// A Wi-Fi network that the camera sees.
    public struct WiFi: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// What it asks for.
        public var password: String
        /// 0 open, 2 to 5 WPA and WPA2.
        public var security: Int
        /// 1 to 165.
        public var channel: Int

        /// Makes a value of its parts.
        public init(name: String, password: String, security: Int = 4, channel: Int = 6) {
            (self.name, self.password) = (name, password)
            (self.security, self.channel) = (security, channel)
        }
    }

    /// Where the camera answers searches from.
    public enum SessionPort: Sendable, Hashable {
        /// From the port at which it was searched.
        case same
        /// From a free one, which is another after each restart.
        case ephemeral
    }

    /// What it answers to in searches.
    public var id: DeviceID
    /// What it speaks.
    public var framing: CommandFraming = .cgi
    /// The key of its packets; `nil` for clear ones.
    public var cipher: PacketCipher?
    /// Whether a camera that has a key takes clear packets too, as some do, and answers them so.
    public var takesClearPackets: Bool = false
    /// The one user that may log in.
    public var user: String = "admin"
    /// The user's password.
    public var password: String
    /// Where sessions are.
    public var sessionPort: SessionPort = .ephemeral
    /// Frames in a second.
    public var framesPerSecond: Double = 10
    /// How many clients may be logged in.
    public var mostUsers: Int = 4
    /// Directory servers to which it logs in, so that it is found from afar.
    public var directories: [Endpoint] = []
    /// Whether a relay alone reaches it, as behind a router that lets nothing else through.
    public var needsRelay: Bool = false
    /// What it sees, and can join.
    public var networks: [WiFi] = []
    /// How long an answer takes; some clients miss one that is sooner than some 20 ms after the acknowledgement.
    public var replyDelay: Duration = .milliseconds(30)
    /// After which silence a client counts as gone.
    public var silence: Duration = .seconds(8)
    /// How many packets of a channel may be unacknowledged.
    public var window: Int = 64
    /// Whether wrong credentials are answered with silence, as some cameras do.
    public var isSilentToStrangers: Bool = false

    /// A camera without Wi-Fi networks around it.
    ///
    /// - Parameters:
    ///   - id: What it answers to.
    ///   - password: What the user `admin` must say.
    public init(id: DeviceID, password: String) {
        (self.id, self.password) = (id, password)
        cipher = PacketCipher(prefix: id.prefix)
    }
}

/// What a simulated camera has seen and done.
public struct VeepaCameraRecord: Sendable, Hashable {
    /// Searches that reached it.
    public var searches: Int = 0
    /// Sessions that were opened.
    public var sessions: Int = 0
    /// Sessions that are open.
    public var openSessions: Int = 0
    /// Logins that were accepted.
    public var logins: Int = 0
    /// Logins and other requests whose user or password was wrong.
    public var rejections: Int = 0
    /// Names of requests, oldest first, the newest 256; without what they carried.
    public var requests: [String] = []
    /// Sessions that the client has closed.
    public var closes: Int = 0
    /// Frames that were put on their way.
    public var frames: Int = 0
    /// Frames that found no room because the client acknowledged too slowly.
    public var droppedFrames: Int = 0
    /// Packets that were sent again because no acknowledgement came.
    public var resentPackets: Int = 0
    /// The network that it was told to join last.
    public var joinedNetwork: String?
    /// Codes for a Wi-Fi network that it has read, parts included.
    public var codes: Int = 0
    /// How often it has tried to join the network of codes.
    public var joinAttempts: Int = 0

    mutating func note(_ request: String) {
        requests.append(request)
        if requests.count > 256 { requests.removeFirst() }
    }
}
