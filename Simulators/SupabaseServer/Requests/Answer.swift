import HTTPTypes
import Transport

/// An HTTP answer.
struct Answer: Sendable {
    var status: Int
    var headers = HTTPFields()
    var body: HTTPBody

    init(status: Int, body: HTTPBody) {
        self.status = status
        self.body = body
    }

    /// A success with a JSON body.
    static func json(_ value: JSONValue, status: Int = 200) -> Answer {
        var answer = Answer(status: status, body: .bytes(value.encoded()))
        answer.headers[.contentType] = "application/json; charset=utf-8"
        return answer
    }

    static func message(_ text: String) -> Answer { .json(.object(["message": .string(text)])) }

    static func failure(_ failure: StorageFailure) -> Answer {
        .json(failure.envelope, status: failure.httpStatus)
    }

    var response: (head: HTTPResponse, body: HTTPBody) {
        var head = HTTPResponse(status: .init(code: status), headerFields: headers)
        // The service opens itself to browsers of any origin.
        head.headerFields[.accessControlAllowOrigin] = "*"
        if head.headerFields[.contentLength] == nil, status != 304, let length = body.length {
            head.headerFields[.contentLength] = String(length)
        }
        return (head, body)
    }
}

extension Answer {
    /// The same answer to a request that wants the head only.
    func withoutBody() -> Answer {
        var bare = self
        if bare.headers[.contentLength] == nil, let length = body.length {
            bare.headers[.contentLength] = String(length)
        }
        bare.body = .empty
        return bare
    }
}
