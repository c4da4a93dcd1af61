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

extension Secret {
    /// The value with every byte escaped that is not unreserved in a URL (RFC 3986 section 2.3).
    var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in reveal().utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                encoded.append(byte)
            default:
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    /// `text` with the secret blotted out, for words that came from outside and may repeat it.
    func redacted(from text: String) -> String {
        guard !reveal().isEmpty else { return text }
        return text.replacing(reveal(), with: description).replacing(percentEncoded, with: description)
    }
}
