internal import Foundation
internal import ServiceClient
internal import Services

/// What a hub gives for a code, and for a refresh token.
public struct AuthToken: Codable, Hashable, Sendable {
    /// What calls carry.
    public var accessToken: String
    /// What is given for the next one, once; `nil` where the hub leaves the last one in use.
    public var refreshToken: String?
    /// How long the access token is valid from now on, in seconds.
    public var expiresIn: Int
    /// How the access token is carried: `Bearer`, in any case.
    public var tokenType: String
    /// What the hub calls itself on the local network, where it says so.
    public var hubID: String?
    /// What the hub itself calls this device, where a refresh has to say so.
    public var deviceID: String?

    /// Makes a value of its parts.
    public init(
        accessToken: String,
        refreshToken: String?,
        expiresIn: Int,
        tokenType: String = "Bearer",
        hubID: String? = nil,
        deviceID: String? = nil
    ) {
        (self.accessToken, self.refreshToken) = (accessToken, refreshToken)
        (self.expiresIn, self.tokenType) = (expiresIn, tokenType)
        (self.hubID, self.deviceID) = (hubID, deviceID)
    }

    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresIn = "expires_in"
        case tokenType = "token_type"
        case hubID = "hub_id"
        case deviceID = "device_id"
    }

    /// The longest that a token counts as valid, whatever a hub says: ten years.
    static let longest = 10 * 366 * 86_400
    /// How long before its end a token is renewed.
    static let leeway = 300

    /// The token as calls carry it, given at an instant.
    ///
    /// It is renewed from five minutes before its end, or from the half of its time where that is shorter: a hub whose tokens last less
    /// would otherwise be asked for one before every call.
    ///
    /// - Parameter last: The token whose refresh token was sent: what is not given in place of its parts stays.
    /// - Returns: `nil` for what no call can carry.
    func bearer(at now: Date, last: BearerToken?) -> BearerToken? {
        let access = Secret(accessToken)
        guard access.isHeaderValue, tokenType.lowercased() == "bearer" else { return nil }
        let lifetime = min(max(0, expiresIn), Self.longest)
        let expiry = now + TimeInterval(lifetime)
        return BearerToken(
            access,
            expiry: expiry,
            refresh: refreshToken.map { Secret($0) } ?? last?.refresh,
            renewal: expiry - Double(min(Self.leeway, lifetime / 2)),
            holder: deviceID ?? last?.holder
        )
    }
}
