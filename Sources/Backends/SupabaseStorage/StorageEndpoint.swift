import HTTPTypes
import Services

/// A configuration that has been checked: every value in it can be sent as it stands.
struct StorageEndpoint: Sendable {
    let scheme: String
    let authority: String
    /// What comes before `/storage/v1`; empty, or begins with `/` and does not end with it.
    let root: String
    let bucket: String
    let key: Secret

    /// What is wrong with a configuration.
    ///
    /// Never quotes it: an address may hold a password.
    struct Unusable: Error, Hashable {
        let detail: String
    }

    init(_ configuration: SupabaseConfiguration) throws(Unusable) {
        let address = Self.trimmed(configuration.projectURL ?? "")
        if address.isEmpty { throw Unusable(detail: "no project address is configured") }
        let key = Self.trimmed(configuration.key?.reveal() ?? "")
        if key.isEmpty { throw Unusable(detail: "no key is configured") }
        // A header value of visible ASCII cannot smuggle a second header.
        guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Unusable(detail: "the key holds characters that no key has")
        }
        guard ObjectNaming.isBucket(configuration.bucket) else {
            throw Unusable(detail: "“\(configuration.bucket)” is not a bucket name")
        }
        (scheme, authority, root) = try Self.parts(of: address)
        self.key = Secret(key)
        bucket = configuration.bucket
    }

    /// The absolute path of a storage call for an object.
    func path(_ call: String, _ key: ObjectKey) -> String {
        "\(root)/storage/v1/\(call)/\(ObjectNaming.encoded(bucket))/\(ObjectNaming.encoded(key.path))"
    }

    /// A request that carries the credentials.
    func request(_ method: HTTPRequest.Method, _ path: String) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
        request.headerFields[.authorization] = "Bearer \(key.reveal())"
        request.headerFields.set("apikey", key.reveal())
        return request
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }

    private static func parts(
        of address: String
    ) throws(Unusable) -> (scheme: String, authority: String, root: String) {
        let lowered = address.lowercased()
        let scheme = ["https", "http"].first { lowered.hasPrefix($0 + "://") }
        guard let scheme else {
            throw Unusable(detail: "the project address does not begin with https:// or http://")
        }
        let rest = address.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" }
        var root = rest.dropFirst(authority.count)
        while root.last == "/" { root.removeLast() }
        let plain = rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !Self.refused.contains($0) }
        guard plain, !authority.isEmpty, authority.first != ":" else {
            throw Unusable(detail: "the project address is not scheme, host and optional port and path")
        }
        return (scheme, String(authority), String(root))
    }

    /// User information, queries, fragments and quoting have no place in a project's address.
    private static let refused = Set("@?#\\\"<>^`{|}".utf8)
}

extension HTTPFields {
    /// Sets a field whose name is known to be a valid token.
    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
