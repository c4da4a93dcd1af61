import HTTPTypes
import PeerKit

/// What a caller shows of itself: a key, or an ephemeral token, in the header or in the query.
struct Credentials: Sendable {
    static let invalidText = "API key not valid. Please pass a valid API key."
    static let expiredText = "API key expired. Please renew the API key."
    static let missingText =
        "Method doesn't allow unregistered callers (callers without established identity). "
        + "Please use API Key or other form of API consumer identity to call this API."

    /// How a key was judged.
    enum Judgement: Sendable {
        case accepted
        case missing
        case invalid
        case expired
    }

    private let key: String?
    /// An ephemeral token where one is taken; a key beside it says nothing.
    let token: String?
    /// Where the key or the token was found.
    let place: GeminiRecord.KeyPlace?

    init(_ request: HTTPRequest, _ route: Route) {
        if route.isConstrained {
            key = nil
            let scheme = "Token "
            if let header = request.headerFields[.authorization], header.hasPrefix(scheme) {
                token = String(header.dropFirst(scheme.count))
                place = .header
            } else {
                token = route.query["access_token"]
                place = token == nil ? nil : .query
            }
            return
        }
        token = nil
        if let key = request.headerFields.value("x-goog-api-key") {
            self.key = key
            place = .header
        } else if let key = route.query["key"] {
            self.key = key
            place = .query
        } else {
            key = nil
            place = nil
        }
    }

    /// Whose files a caller sees: those that were uploaded with the same key.
    var owner: String { key ?? "" }

    func judged(by settings: GeminiServerSettings) -> Judgement {
        guard let key, !key.isEmpty else { return .missing }
        if settings.expiredKeys.contains(key) { return .expired }
        return settings.keys.contains(key) ? .accepted : .invalid
    }
}
