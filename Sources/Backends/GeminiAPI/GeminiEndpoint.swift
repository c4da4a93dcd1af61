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

    /// The address of the REST interface, without a key.
    package var restAddress: String { "\(httpAddress)/\(version)" }

    /// The address of the service over HTTP, without a version.
    package var httpAddress: String { "\(isSecure ? "https" : "http")://\(authority)" }
}
