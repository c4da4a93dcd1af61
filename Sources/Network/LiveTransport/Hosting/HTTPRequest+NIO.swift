import HTTPTypes
import NIOHTTP1

extension HTTPRequest {
    /// A request from what was read off the wire; `nil` when it is not one that a server may answer.
    ///
    /// HTTP/1.1 wants exactly one `Host` (RFC 9112 section 3.2).
    init?(_ head: HTTPRequestHead, scheme: String) {
        guard let method = Method(rawValue: head.method.rawValue) else { return nil }
        let hosts = head.headers["Host"]
        guard hosts.count == 1 || hosts.isEmpty && !head.isModern else { return nil }
        var path = head.uri
        if !path.hasPrefix("/") {
            // Absolute form, as sent to proxies, names the authority again.
            for prefix in ["http://", "https://"] where path.lowercased().hasPrefix(prefix) {
                let rest = path.dropFirst(prefix.count)
                path = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
            }
        }
        guard path.hasPrefix("/") || path == "*" && method == .options else { return nil }
        var headers = head.headers
        headers.remove(name: "Host")
        self.init(
            method: method,
            scheme: scheme,
            authority: hosts.first,
            path: path,
            headerFields: HTTPFields(headers)
        )
    }
}

extension HTTPRequestHead {
    /// Whether the peer speaks HTTP/1.1, with chunks, interim answers and upgrades.
    var isModern: Bool { version == .http1_1 }

    /// Whether the peer asks to turn the connection into a WebSocket (RFC 6455 section 4.2.1).
    var asksForWebSocket: Bool {
        method == .GET && isModern
            && headers[canonicalForm: "upgrade"].contains { $0.lowercased() == "websocket" }
            && headers[canonicalForm: "connection"].contains { $0.lowercased() == "upgrade" }
    }

    /// Whether NIO's parser stops behind this request, because another protocol might follow.
    var stopsParser: Bool { headers.contains(name: "Upgrade") || method == .CONNECT }

    /// The declared size of the body, `nil` when it comes in chunks.
    var declaredLength: Int? {
        if headers.contains(name: "Transfer-Encoding") { return nil }
        return headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
    }

    /// Whether the peer waits for 100 before it sends the body (RFC 9110 section 10.1.1).
    var expectsContinue: Bool {
        isModern && headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }
}
