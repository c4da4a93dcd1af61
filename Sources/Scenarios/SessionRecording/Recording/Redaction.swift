import Foundation
import HTTPTypes

/// Keeps credentials out of recordings by the names under which they are sent.
///
/// Header fields that carry credentials and query items that do are replaced by a fixed word, so that two
/// recordings of the same traffic with different keys are equal. ``SecretMask`` finds known values anywhere else.
enum Redaction {
    static let word = SecretMask.word

    /// Names of fields whose values are credentials.
    ///
    /// Compared without regard to case.
    private static let fields: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "apikey", "x-goog-api-key",
        "x-signature",
    ]
    /// Names of query items whose values are credentials.
    static let queryItems: Set<String> = [
        "key", "token", "access_token", "refresh_token", "id_token", "apikey", "x-amz-signature",
    ]

    /// A request's head as text: method, target and fields, one a line.
    static func text(of request: HTTPRequest) -> String {
        // User information is a name and a password.
        let authority = request.authority?.split(separator: "@").last ?? ""
        let target = "\(request.scheme ?? "")://\(authority)\(path(request.path ?? "/"))"
        return lines(first: "\(request.method.rawValue) \(target)", request.headerFields)
    }

    /// A response's head as text: status and fields, one a line.
    static func text(of response: HTTPResponse) -> String {
        lines(first: "\(response.status.code)", response.headerFields)
    }

    static func path(_ path: String) -> String {
        guard let mark = path.firstIndex(of: "?") else { return path }
        let items = path[path.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
            .map { item in
                let name = item.prefix { $0 != "=" }
                return queryItems.contains(name.lowercased()) ? "\(name)=\(word)" : String(item)
            }
        return path[...mark] + items.joined(separator: "&")
    }

    /// The value of a field that is no credential, which may have one in a URL.
    private static func shown(_ value: String) -> String {
        guard value.contains("=") else { return value }
        return String(decoding: BodyRedaction.redacted(Array(value.utf8)), as: UTF8.self)
    }

    private static func lines(first: String, _ headers: HTTPFields) -> String {
        var lines = [first]
        for field in headers {
            let name = field.name.canonicalName
            lines.append("\(name): \(fields.contains(name) ? word : shown(field.value))")
        }
        return lines.joined(separator: "\n")
    }
}
