import HTTPTypes
import Services

/// Where the Gemini API is reached.
public struct GeminiEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// Google's own address, with TLS and the version `v1beta`.
    public static let google = GeminiEndpoint(authority: "generativelanguage.googleapis.com")

    /// Host, and port unless it is the scheme's own: `127.0.0.1:8080`.
    public var authority: String
    /// Whether the connection is encrypted: `wss` instead of `ws`.
    public var isSecure: Bool
    /// The version of the API: `v1`, `v1beta` or `v1alpha`.
    public var version: String

    /// Makes an endpoint.
    public init(authority: String, isSecure: Bool = true, version: String = "v1beta") {
        self.authority = authority
        self.isSecure = isSecure
        self.version = version
    }

    /// The address of the Live method, without a key.
    public var description: String { "\(scheme)://\(authority)\(path)" }

    private var scheme: String { isSecure ? "wss" : "ws" }

    private var path: String {
        "/ws/google.ai.generativelanguage.\(version).GenerativeService.BidiGenerateContent"
    }

    /// The handshake, with the key in a header: proxies and logs keep addresses, and with them what is in a query.
    func handshake(key: Secret) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
        // A constant that is a valid name.
        if let name = HTTPField.Name("x-goog-api-key") { request.headerFields[name] = key.reveal() }
        return request
    }
}
