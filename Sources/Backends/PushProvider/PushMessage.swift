/// A notification for one device, as a provider sends it.
public struct PushMessage: Sendable, Hashable {
    /// The device's token, in hexadecimal.
    public var token: String
    /// A UUID in small letters, the same in each repetition: `apns-id`.
    public var id: String
    /// JSON of at most 4,096 bytes, an object with `aps`.
    public var payload: [UInt8]
    /// What a repetition takes the place of, at most 64 bytes: `apns-collapse-id`.
    ///
    /// A longer one is left out.
    public var collapseID: String?
    /// How long the service keeps it for a device that is not there; zero for not at all.
    public var keep: Duration

    /// Makes a value of its parts.
    public init(
        token: String,
        id: String,
        payload: [UInt8],
        collapseID: String? = nil,
        keep: Duration = .seconds(86_400)
    ) {
        (self.token, self.id, self.payload) = (token, id, payload)
        (self.collapseID, self.keep) = (collapseID, keep)
    }

    /// The most bytes of a payload.
    ///
    /// Source: Apple, "Generating a remote notification".
    public static let mostBytes: Int = 4096
}
