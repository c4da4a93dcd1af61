import HTTPTypes
import PeerKit

/// Why a call is refused, in the forms that the hub's framework gives refusals: `detail` is a text, or a list with 422.
struct HubRefusal: Error, Hashable {
    let status: Int
    let detail: JSONValue
    var headers: HTTPFields = [:]

    private init(_ status: Int, _ detail: JSONValue) {
        self.status = status
        self.detail = detail
    }

    static let unauthenticated: HubRefusal = {
        var refusal = HubRefusal(401, "Not authenticated")
        refusal.headers[.wwwAuthenticate] = "Bearer"
        return refusal
    }()
    static let token = HubRefusal(401, "Invalid token")
    static let expired = HubRefusal(401, "Token has expired")
    static let refreshToken = HubRefusal(401, "Invalid refresh token")
    static let code = HubRefusal(401, "Invalid or expired code")
    static let malformedCode = HubRefusal(400, "A code has six digits")
    static let deviceID = HubRefusal(400, "device_id must be a UUID")
    static let revocation = HubRefusal(400, "One of refresh_token, device_id, revoke_all is needed")
    static let forbidden = HubRefusal(403, "Not allowed")
    static let nowhere = HubRefusal(404, "Not Found")
    static let pairing = HubRefusal(404, "No such pairing code")
    static let device = HubRefusal(404, "Device not found")
    static let registration = HubRefusal(404, "No push token is registered")
    static let tooLarge = HubRefusal(413, "Request body too large")
    static func event(_ id: String) -> HubRefusal { HubRefusal(404, .string("Event \(id) not found")) }

    static func method(_ allowed: [HTTPRequest.Method]) -> HubRefusal {
        var refusal = HubRefusal(405, "Method Not Allowed")
        refusal.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        return refusal
    }

    static func tooMany(seconds: Int) -> HubRefusal {
        busy(status: 429, "Rate limit exceeded. Try again later.", seconds: seconds)
    }

    static func busy(
        status: Int,
        _ detail: String = "The hub is busy.",
        seconds: Int
    ) -> HubRefusal {
        var refusal = HubRefusal(status, .string(detail))
        refusal.headers[.retryAfter] = String(seconds)
        return refusal
    }

    /// A request that does not fit the description of the call; like the hub's framework it repeats what was sent.
    static func schema(
        _ place: String,
        _ name: String?,
        _ message: String,
        input: JSONValue,
        kind: String = "value_error"
    ) -> HubRefusal {
        let path = [place] + (name.map { [$0] } ?? [])
        return HubRefusal(
            422,
            [
                [
                    "type": .string(kind), "loc": .array(path.map { .string($0) }), "msg": .string(message),
                    "input": input,
                ]
            ]
        )
    }

    var answer: PeerAnswer {
        var answer = PeerAnswer.json(["detail": detail], status: status)
        for field in headers { answer.headers[field.name] = field.value }
        return answer
    }
}
