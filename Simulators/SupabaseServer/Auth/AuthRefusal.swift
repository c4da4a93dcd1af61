import PeerKit

/// What the sign-in service answers when it does not do what was asked; the HTTP status is the true one.
///
/// Source: supabase/auth `internal/api/apierrors`, `internal/api/errors.go`.
struct AuthRefusal: Error, Hashable {
    let status: Int
    /// The stable name.
    let code: String
    let message: String
    /// What a password lacks, in an answer about one.
    var reasons: [String]?

    init(_ status: Int, _ code: String, _ message: String) {
        (self.status, self.code, self.message) = (status, code, message)
    }

    static let credentials = AuthRefusal(400, "invalid_credentials", "Invalid login credentials")
    static let unconfirmed = AuthRefusal(400, "email_not_confirmed", "Email not confirmed")
    static let banned = AuthRefusal(400, "user_banned", "User is banned")
    static let bannedRefresh = AuthRefusal(400, "user_banned", "Invalid Refresh Token: User Banned")
    static let unknownRefresh = AuthRefusal(
        400,
        "refresh_token_not_found",
        "Invalid Refresh Token: Refresh Token Not Found"
    )
    static let usedRefresh = AuthRefusal(
        400,
        "refresh_token_already_used",
        "Invalid Refresh Token: Already Used"
    )
    static let endedSession = AuthRefusal(
        400,
        "session_expired",
        "Invalid Refresh Token: Session Expired"
    )
    static let noBearer = AuthRefusal(
        401,
        "no_authorization",
        "This endpoint requires a valid Bearer token"
    )
    static let unknownSession = AuthRefusal(
        403,
        "session_not_found",
        "Session from session_id claim in JWT does not exist"
    )
    static let unknownUser = AuthRefusal(
        403,
        "user_not_found",
        "User from sub claim in JWT does not exist"
    )
    static let notAdmin = AuthRefusal(403, "not_admin", "User not allowed")
    static let knownUser = AuthRefusal(422, "user_already_exists", "User already registered")
    static let knownEmail = AuthRefusal(
        422,
        "email_exists",
        "A user with this email address has already been registered"
    )
    static let samePassword = AuthRefusal(
        422,
        "same_password",
        "New password should be different from the old password."
    )
    static let noSignUps = AuthRefusal(
        422,
        "signup_disabled",
        "Signups not allowed for this instance"
    )
    static let grantType = AuthRefusal(400, "invalid_credentials", "unsupported_grant_type")
    static let badJSON = AuthRefusal(400, "bad_json", "Could not parse request body as JSON")
    /// The simulator's own bound, which the service does not have.
    static let full = AuthRefusal(507, "unexpected_failure", "the simulated project has no room for users")

    static func invalid(_ text: String) -> AuthRefusal { AuthRefusal(400, "validation_failed", text) }

    static func badToken(_ refusal: WebToken.Refusal) -> AuthRefusal {
        // The words of golang-jwt.
        let cause =
            switch refusal {
            case .malformed: "token is malformed"
            case .algorithm: "token is unverifiable: error while executing keyfunc"
            case .signature: "token signature is invalid: signature is invalid"
            case .expired: "token has invalid claims: token is expired"
            case .early: "token has invalid claims: token is not valid yet"
            }
        return AuthRefusal(403, "bad_jwt", "invalid JWT: unable to parse or verify signature, \(cause)")
    }

    static func weakPassword(_ least: Int) -> AuthRefusal {
        var refusal = AuthRefusal(
            422,
            "weak_password",
            "Password should be at least \(least) characters."
        )
        refusal.reasons = ["length"]
        return refusal
    }

    /// The body and the headers in the form that the client's version understands.
    ///
    /// - Parameter isDated: Whether the client has named a version of 2024 or later.
    func answer(isDated: Bool) -> PeerAnswer {
        var members: [String: JSONValue] =
            isDated
            ? ["code": .string(code), "message": .string(message)]
            : ["code": .integer(status), "error_code": .string(code), "msg": .string(message)]
        if let reasons {
            members["weak_password"] = .object([
                "reasons": .array(reasons.map { .string($0) }), "message": .string(message),
            ])
        }
        var answer = PeerAnswer.json(.object(members), status: status)
        answer.headers.set("x-sb-error-code", code)
        return answer
    }
}
