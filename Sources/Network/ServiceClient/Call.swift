internal import Foundation
public import HTTPTypes

/// One call of an API: what is asked for, and when it may be asked again.
public struct Call: Sendable {
    /// Which failures permit to send a call again.
    public enum Repetition: Sendable, Hashable {
        /// Those before anything was sent.
        case whenNothingWasSent
        /// Those after which it cannot have taken effect, as the service says: also 429 and 503.
        case whenNothingWasDone
        /// All that may pass: sending it twice has the effect of sending it once.
        case always
    }

    /// The method.
    public var method: HTTPRequest.Method
    /// The path below the service's address, with its slash and its escapes: `/posts/7`.
    public var path: String
    /// Further header fields; `Authorization` and `Content-Type` are the client's.
    public var headerFields: HTTPFields = [:]
    /// The body, which is JSON; `nil` for none.
    public var body: [UInt8]?
    /// Which failures permit to send it again.
    public var repeats: Repetition
    /// Whether it carries a bearer token, where the client has tokens.
    public var isAuthorized: Bool = true

    /// Makes a call of its parts.
    public init(
        _ method: HTTPRequest.Method,
        _ path: String,
        body: [UInt8]? = nil,
        repeats: Repetition
    ) {
        self.method = method
        self.path = path
        self.body = body
        self.repeats = repeats
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
        _ document: some Encodable & Sendable,
        key: String? = nil
    ) throws(ServiceFailure) -> Call {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let body: [UInt8]
        do { body = Array(try encoder.encode(document)) } catch {
            throw ServiceFailure(.malformed, operation: "POST \(path)", peer: "", detail: "\(error)")
        }
        var call = Call(.post, path, body: body, repeats: key == nil ? .whenNothingWasSent : .always)
        if let key, let name = HTTPField.Name("Idempotency-Key") { call.headerFields[name] = key }
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
