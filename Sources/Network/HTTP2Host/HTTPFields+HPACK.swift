internal import HTTPTypes
internal import NIOHPACK

extension HTTPRequest {
    /// A request from the fields of its stream; `nil` when it is not one that a server may answer.
    ///
    /// Some clients name the authority in `host` alone, which RFC 9113 section 8.3.1 allows.
    init?(_ headers: HPACKHeaders, scheme: String) {
        guard let method = headers.first(name: ":method").flatMap({ Method(rawValue: $0) }),
            method != .connect,
            let path = headers.first(name: ":path"), path.hasPrefix("/")
        else { return nil }
        let authority = headers.first(name: ":authority") ?? headers.first(name: "host")
        self.init(method: method, scheme: scheme, authority: authority, path: path)
        for (name, value, _) in headers where !name.hasPrefix(":") && name != "host" {
            guard let name = HTTPField.Name(name) else { return nil }
            headerFields.append(HTTPField(name: name, value: value))
        }
    }
}

extension HPACKHeaders {
    /// Fields of a connection, which HTTP/2 does not have (RFC 9113 section 8.2.2).
    private static let connectionFields: Set = [
        "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// The fields of an answer.
    init(_ head: HTTPResponse) {
        self.init([(":status", String(head.status.code))])
        for field in head.headerFields where !Self.connectionFields.contains(field.name.canonicalName) {
            add(name: field.name.canonicalName, value: field.value)
        }
    }
}
