import HTTPTypes
import Transport

/// An answer of the REST side: a status and a JSON document.
struct Answer {
    let status: HTTPResponse.Status
    let document: JSONValue

    static func success(_ document: JSONValue) -> Answer { Answer(status: .ok, document: document) }

    /// A `google.rpc.Status`, the shape of every error of the API.
    static func failure(_ code: Int, _ status: String, _ message: String, details: [JSONValue] = []) -> Answer
    {
        var error: [String: JSONValue] = [
            "code": .number(Double(code)), "message": .string(message), "status": .string(status),
        ]
        if !details.isEmpty { error["details"] = .array(details) }
        return Answer(status: .init(code: code), document: ["error": .object(error)])
    }

    static func notFound(_ message: String) -> Answer { failure(404, "NOT_FOUND", message) }

    /// The refusal of a key, or `nil` when it is accepted.
    static func refusal(of judgement: Credentials.Judgement) -> Answer? {
        switch judgement {
        case .accepted: nil
        case .missing: failure(403, "PERMISSION_DENIED", Credentials.missingText)
        case .invalid: badKey(Credentials.invalidText)
        case .expired: badKey(Credentials.expiredText)
        }
    }

    /// Head and body, ready to send.
    var message: (head: HTTPResponse, body: HTTPBody) {
        let head = HTTPResponse(
            status: status,
            headerFields: [.contentType: "application/json; charset=UTF-8"]
        )
        return (head, .bytes(document.json))
    }

    private static func badKey(_ text: String) -> Answer {
        failure(
            400,
            "INVALID_ARGUMENT",
            text,
            details: [
                [
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                    "reason": "API_KEY_INVALID",
                    "domain": "googleapis.com",
                    "metadata": ["service": "generativelanguage.googleapis.com"],
                ],
                [
                    "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
                    "locale": "en-US",
                    "message": .string(text),
                ],
            ]
        )
    }
}
