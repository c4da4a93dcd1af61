import HTTPTypes
import NIOHTTP1

extension HTTPFields {
    /// The fields that are valid by RFC 9110; others are left out.
    init(_ headers: HTTPHeaders) {
        self.init()
        reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            append(HTTPField(name: name, value: value))
        }
    }
}

extension HTTPHeaders {
    /// All fields, in order.
    init(_ fields: HTTPFields) {
        self.init(fields.map { ($0.name.rawName, $0.value) })
    }
}

extension HTTPResponse {
    /// A response head from NIO's values.
    init(_ status: HTTPResponseStatus, _ headers: HTTPHeaders) {
        self.init(
            status: Status(code: Int(status.code), reasonPhrase: Self.phrase(status.reasonPhrase)),
            headerFields: HTTPFields(headers)
        )
    }

    /// A reason phrase with nothing but printable ASCII, since a status with other characters is a fault.
    private static func phrase(_ text: String) -> String {
        text.utf8.allSatisfy { $0 == 9 || (32...126).contains($0) } ? text : ""
    }
}
