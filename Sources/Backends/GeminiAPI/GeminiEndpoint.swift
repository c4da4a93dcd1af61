package import HTTPTypes
package import Services

/// Where the Gemini API is reached.
public struct GeminiEndpoint: Sendable, Hashable, CustomStringConvertible {
    /// Google's own address, with TLS and the version `v1beta`.
    public static let google = GeminiEndpoint(authority: "generativelanguage.googleapis.com")

    /// Host, and port unless it is the scheme's own: `127.0.0.1:8080`.
    public var authority: String
    /// Whether the connection is encrypted: `wss` instead of `ws`, `https` instead of `http`.
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
    public var description: String { "\(scheme)://\(authority)\(path(version, "BidiGenerateContent"))" }

    private var scheme: String { isSecure ? "wss" : "ws" }

    private func path(_ version: String, _ method: String) -> String {
        "/ws/google.ai.generativelanguage.\(version).GenerativeService.\(method)"
    }

    /// The handshake, with the key in a header: proxies and logs keep addresses, and with them what is in a query.
    ///
    /// An ephemeral token has a name of its own form. It opens sessions of a method of its own, of `v1alpha` alone, and goes into
    /// the `Authorization` header; so Google's clients do (googleapis/python-genai `live.py`).
    package func handshake(key: Secret) -> HTTPRequest {
        let credential = key.reveal()
        let isToken = credential.hasPrefix("auth_tokens/")
        let path =
            isToken ? path("v1alpha", "BidiGenerateContentConstrained") : path(version, "BidiGenerateContent")
        var request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
        if isToken {
            request.headerFields[.authorization] = "Token \(credential)"
        } else if let name = HTTPField.Name("x-goog-api-key") {
            // A constant that is a valid name.
            request.headerFields[name] = credential
        }
        return request
    }

    /// A request of the REST interface, with the key in a header.
    ///
    /// - Parameter path: What follows the version, with a slash at its beginning: `/models`.
    package func request(_ method: HTTPRequest.Method, _ path: String, key: Secret) -> HTTPRequest {
        carrying(
            key,
            HTTPRequest(method: method, scheme: httpScheme, authority: authority, path: "/\(version)\(path)")
        )
    }

    /// The request that begins an upload, whose path has the version in its second place.
    package func uploadStart(key: Secret) -> HTTPRequest {
        carrying(
            key,
            HTTPRequest(
                method: .post,
                scheme: httpScheme,
                authority: authority,
                path: "/upload/\(version)/files"
            )
        )
    }

    /// The address of the REST interface, without a key.
    package var restAddress: String { "\(httpScheme)://\(authority)/\(version)" }

    private var httpScheme: String { isSecure ? "https" : "http" }

    private func carrying(_ key: Secret, _ request: HTTPRequest) -> HTTPRequest {
        var request = request
        // A constant that is a valid name.
        if let name = HTTPField.Name("x-goog-api-key") { request.headerFields[name] = key.reveal() }
        return request
    }
}
