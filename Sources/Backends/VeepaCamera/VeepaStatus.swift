/// What a camera says of itself; texts are a stranger's.
public struct VeepaStatus: Sendable, Hashable {
    /// The version of its program.
    public var version: String?
    /// The ID under which its vendor's app knows it, which may be another than that of packets.
    public var realDeviceID: String?
    /// How many clients are connected.
    public var users: Int?
    /// How many may be.
    public var mostUsers: Int?

    /// Makes a value of its parts.
    public init(
        version: String? = nil,
        realDeviceID: String? = nil,
        users: Int? = nil,
        mostUsers: Int? = nil
    ) {
        (self.version, self.realDeviceID) = (version, realDeviceID)
        (self.users, self.mostUsers) = (users, mostUsers)
    }
}

/// A Wi-Fi network that a camera sees.
public struct VeepaWiFi: Sendable, Hashable {
    /// Its name; a stranger's text.
    public var name: String
    /// How it is secured, by the camera's own numbers: 0 open, 1 WEP, 2 and 3 WPA, 4 and 5 WPA2, each with AES and TKIP.
    public var security: Int
    /// 1 to 165.
    public var channel: Int
    /// Its strength, by the camera's own measure.
    public var strength: Int

    /// Makes a value of its parts.
    public init(name: String, security: Int, channel: Int, strength: Int = 0) {
        (self.name, self.security, self.channel, self.strength) = (name, security, channel, strength)
    }
}
