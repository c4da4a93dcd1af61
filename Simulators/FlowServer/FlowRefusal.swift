import HTTPTypes
import PeerKit

/// Why a call is refused.
///
/// Numbers: 1000 to 1003 the request and its token, 11.. sessions and accounts, 12.. verification, 13.. steps, 9000 the service itself.
struct FlowRefusal: Error, Hashable {
    let status: Int
    let code: Int
    let message: String
    /// Methods that the path has, in an answer of 405.
    var allowed: [HTTPRequest.Method] = []
    /// Seconds, in an answer of the service itself.
    var retryAfter: Int?

    private init(_ status: Int, _ code: Int, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    static let noObject = FlowRefusal(400, 1000, "The body must be a JSON object.")
    static func field(_ name: String) -> FlowRefusal {
        FlowRefusal(400, 1002, "\(name) is missing or not valid.")
    }
    static let client = FlowRefusal(401, 1001, "The client is not known.")
    static let token = FlowRefusal(401, 1003, "The token is missing, expired or not valid.")
    static let session = FlowRefusal(400, 1100, "The session is not known.")
    static let credentials = FlowRefusal(400, 1101, "The e-mail address or the password is wrong.")
    static let consents = FlowRefusal(400, 1102, "Both consents are needed.")
    static let code = FlowRefusal(400, 1201, "The code is wrong.")
    static let locked = FlowRefusal(423, 1202, "Too many wrong codes: start again.")
    static let unverified = FlowRefusal(403, 1203, "The account is not verified yet.")
    static let order = FlowRefusal(409, 1301, "The steps before this one are not done.")
    static let nowhere = FlowRefusal(404, 404, "There is no such call.")
    static let tooLarge = FlowRefusal(413, 413, "The body is too long.")

    static func method(_ allowed: [HTTPRequest.Method]) -> FlowRefusal {
        var refusal = FlowRefusal(405, 405, "The path has no such method.")
        refusal.allowed = allowed
        return refusal
    }

    static func busy(seconds: Int) -> FlowRefusal {
        var refusal = FlowRefusal(503, 9000, "The service is busy. Try again.")
        refusal.retryAfter = seconds
        return refusal
    }

    /// The answer, in one of the two forms.
    func answer(_ form: FlowProject.RefusalForm) -> PeerAnswer {
        // What is about the request itself has its status in both forms: only what is refused by the rules of the flow can be a success of HTTP.
        let isBusiness = (1000...1399).contains(code) && status != 401
        var answer = PeerAnswer.json(
            ["success": false, "errorCode": .integer(code), "errorMsg": .string(message)],
            status: form == .body && isBusiness ? 200 : status
        )
        if status == 401 { answer.headers[.wwwAuthenticate] = "Bearer" }
        if !allowed.isEmpty { answer.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ") }
        if let retryAfter { answer.headers[.retryAfter] = String(retryAfter) }
        return answer
    }
}
