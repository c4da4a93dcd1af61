internal import Services

/// The body of `POST …/auth/verify`.
struct VerifyRequest: Encodable, Sendable {
    let code: String
    let deviceID: String
    let deviceName: String

    private enum CodingKeys: String, CodingKey {
        case code
        case deviceID = "device_id"
        case deviceName = "device_name"
    }
}

/// The body of `POST …/auth/refresh` and of `POST …/auth/revoke`.
struct RefreshRequest: Encodable, Sendable {
    let token: Secret
    /// The hub's own ID of the device, where the dialect has one.
    let row: String?

    private enum CodingKeys: String, CodingKey {
        case token = "refresh_token"
        case row = "device_id"
    }

    /// Writes the token.
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(token.reveal(), forKey: .token)
        try fields.encodeIfPresent(row, forKey: .row)
    }
}

/// A page of events, the newest first.
public struct EventsResponse: Codable, Hashable, Sendable {
    /// The events of the page.
    public var events: [Event]
    /// How many the hub has.
    public var total: Int
    /// The number of the page, from 1.
    public var page: Int
    /// How many a full page has.
    public var pageSize: Int

    /// Makes a value of its parts.
    public init(events: [Event], total: Int, page: Int, pageSize: Int) {
        (self.events, self.total, self.page, self.pageSize) = (events, total, page, pageSize)
    }

    private enum CodingKeys: String, CodingKey {
        case events, total, page
        case pageSize = "page_size"
    }
}

/// All cameras.
public struct CamerasResponse: Codable, Hashable, Sendable {
    /// The cameras.
    public var cameras: [Camera]

    /// Makes a value of its parts.
    public init(cameras: [Camera]) { self.cameras = cameras }
}

/// The body of `POST …/push/register`.
struct PushRegistration: Encodable, Sendable {
    let token: String
    let platform: String

    private enum CodingKeys: String, CodingKey {
        case token = "push_token"
        case platform
    }
}
