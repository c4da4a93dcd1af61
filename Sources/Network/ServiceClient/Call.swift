internal import Foundation
public import HTTPTypes
public import Services
public import Transport

/// One call of an API: what is asked for, and when it may be asked again.
public struct Call: Sendable {
    /// Which failures permit to send a call again.
    public enum Repetition: Sendable, Hashable {
        /// Those before anything was sent.
        case whenNothingWasSent
        /// Those after which it cannot have taken effect, as the service says: also 429 and 503.
        case whenNothingWasDone
        /// All that may pass but a refusal of the service, whatever its status: where twice is as good as once, and the service decides.
        case unlessRefused
        /// All that may pass: sending it twice has the effect of sending it once.
        case always
    }

    /// The method.
    public var method: HTTPRequest.Method
    /// The path below the service's address, with its slash and its escapes: `/posts/7`.
    public var path: String
    /// Where the service is for this call, such as an address that an earlier answer has given; `nil` for that of the client.
    public var address: ServiceAddress?
    /// Further header fields; `Authorization` and `Content-Type` are the client's, and secrets have ``carry(_:in:scheme:)``.
    public var headerFields: HTTPFields = [:]
    /// The body; one that can be read only once is sent once, whatever ``repeats`` says.
    public var body: HTTPBody
    /// The media type of the body.
    public var contentType: String
    /// Which failures permit to send it again.
    public var repeats: Repetition
    /// Whether it carries a bearer token, where the client has tokens.
    public var isAuthorized: Bool = true
    /// The ``BearerToken/holder`` of the only token that it may carry, so that with another one it is not sent; `nil` for any.
    public var holder: String?
    /// Whether a success may come as a page of HTML, as from a store of files: the caller tells then what is of the service.
    public var admitsPages: Bool = false
    /// When it ends at the latest, where that is before the policy's deadline.
    public var end: ContinuousClock.Instant?
    /// The secrets that it carries.
    private(set) var credentials: [Credential] = []

    /// A secret in a header field, behind the name of its scheme where it has one.
    struct Credential: Sendable {
        let name: HTTPField.Name
        let scheme: String?
        let secret: Secret
    }

    /// Makes a call of its parts.
    public init(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: HTTPBody = .empty,
        contentType: String = "application/json",
        repeats: Repetition
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.contentType = contentType
        self.repeats = repeats
    }

    /// Sets a header field; a name that is no token of HTTP is passed over.
    public mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { headerFields[name] = value }
    }

    /// Carries a secret in a header field: failures are cleared of it, also where the service repeats it.
    ///
    /// - Parameters:
    ///   - secret: One whose `isHeaderValue` is true.
    ///   - name: The field's, such as `x-api-key`; one that is no token of HTTP is passed over.
    ///   - scheme: What stands before the secret, such as `Bearer`.
    public mutating func carry(_ secret: Secret, in name: String, scheme: String? = nil) {
        guard let name = HTTPField.Name(name) else { return }
        credentials.append(Credential(name: name, scheme: scheme, secret: secret))
    }

    /// Reads something; repeated whenever that may help.
    ///
    /// - Parameters:
    ///   - path: With its slash and its escapes.
    ///   - query: Names and values, as they are: they are escaped here.
    public static func get(_ path: String, query: [(name: String, value: String)] = []) -> Call {
        Call(.get, path + Self.written(query), repeats: .always)
    }

    /// Sends a document.
    ///
    /// - Parameters:
    ///   - path: With its slash and its escapes.
    ///   - document: What is sent, as JSON with its members in alphabetical order.
    ///   - key: What makes a repetition known to the service as such, sent as `Idempotency-Key`; without one the call is repeated only where
    ///     nothing of it was sent.
    /// - Throws: `malformed` for what JSON cannot hold, such as an infinite number.
    public static func post(
        _ path: String,
        _ document: some Encodable,
        key: String? = nil
    ) throws(ServiceFailure) -> Call {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body: [UInt8]
        do { body = Array(try encoder.encode(document)) } catch {
            throw ServiceFailure(.malformed, operation: "POST \(path)", peer: "", detail: "\(error)")
        }
        var call = Call(.post, path, body: .bytes(body), repeats: key == nil ? .whenNothingWasSent : .always)
        if let key { call.set("Idempotency-Key", key) }
        return call
    }

    private static func written(_ query: [(name: String, value: String)]) -> String {
        guard !query.isEmpty else { return "" }
        return "?" + query.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    /// A text with every byte escaped that is not unreserved (RFC 3986 section 2.3).
    private static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}

extension Secret {
    /// Whether it can be a header value: of visible ASCII, which cannot smuggle a second header, and not empty.
    public var isHeaderValue: Bool {
        !reveal().isEmpty && reveal().utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
