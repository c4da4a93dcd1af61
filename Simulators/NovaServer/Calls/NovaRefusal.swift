import HTTPTypes
import PeerKit

/// Why a call is refused: a status, a word for programs, and what else the body says.
struct NovaRefusal: Error, Sendable {
    let status: Int
    let error: String
    let message: String
    private var more: [String: JSONValue] = [:]
    var headers: HTTPFields = [:]

    init(_ status: Int, _ error: String, _ message: String, _ more: [String: JSONValue] = [:]) {
        (self.status, self.error, self.message, self.more) = (status, error, message, more)
    }

    /// What is wrong with which field.
    static func fields(_ problems: [String: String]) -> NovaRefusal {
        let fields = JSONValue.object(problems.mapValues { .string($0) })
        return NovaRefusal(
            400,
            "validation_error",
            "The request has fields that are not valid.",
            ["fields": fields]
        )
    }

    static func field(_ name: String, _ problem: String) -> NovaRefusal { .fields([name: problem]) }

    static let token: NovaRefusal = {
        var refusal = NovaRefusal(401, "unauthorized", "The access token is missing, expired or not valid.")
        refusal.headers[.wwwAuthenticate] = "Bearer"
        return refusal
    }()
    static let credentials = NovaRefusal(401, "unauthorized", "The e-mail address or the password is wrong.")
    static let refreshToken = NovaRefusal(401, "unauthorized", "The refresh token is not valid.")
    static let identityToken = NovaRefusal(401, "invalid_identity_token", "The identity token is not valid.")
    static let forbidden = NovaRefusal(403, "forbidden", "This belongs to somebody else.")
    static let nowhere = NovaRefusal(404, "not_found", "There is no such call.")
    static let notFound = NovaRefusal(404, "not_found", "There is nothing of that ID.")
    static func conflict(_ name: String) -> NovaRefusal {
        NovaRefusal(409, "conflict", "Somebody has that \(name).", ["field": .string(name)])
    }
    static let tooLarge = NovaRefusal(413, "payload_too_large", "The body is too long.")
    static func mediaType(_ wanted: String) -> NovaRefusal {
        NovaRefusal(415, "unsupported_media_type", "The body must be \(wanted).")
    }
    static let otherBody = NovaRefusal(
        422,
        "idempotency_key_reused",
        "The idempotency key was sent with another body before."
    )

    static let inProgress: NovaRefusal = {
        var refusal = NovaRefusal(
            409,
            "idempotency_in_progress",
            "A request with this idempotency key is in progress."
        )
        refusal.headers[.retryAfter] = "1"
        return refusal
    }()

    static func method(_ allowed: [HTTPRequest.Method]) -> NovaRefusal {
        var refusal = NovaRefusal(405, "method_not_allowed", "The path has no such method.")
        refusal.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
        return refusal
    }

    static func tooMany(seconds: Int) -> NovaRefusal {
        var refusal = NovaRefusal(
            429,
            "rate_limit_exceeded",
            "Too many requests: try again later.",
            ["retry_after": .integer(seconds)]
        )
        refusal.headers[.retryAfter] = String(seconds)
        return refusal
    }

    static func failure(_ status: Int = 500, requestID: String) -> NovaRefusal {
        NovaRefusal(status, "internal_error", "The service has failed.", ["request_id": .string(requestID)])
    }

    var answer: PeerAnswer {
        let fields: [String: JSONValue] = ["error": .string(error), "message": .string(message)]
        var answer = PeerAnswer.json(.object(fields.merging(more) { $1 }), status: status)
        for field in headers { answer.headers[field.name] = field.value }
        return answer
    }
}
