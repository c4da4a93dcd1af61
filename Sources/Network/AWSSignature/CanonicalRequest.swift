internal import Crypto
public import HTTPTypes

/// What is signed of a request: the same text at the client, which signs it, and at the service, which checks it.
///
/// The path is that of S3: each segment is escaped once, and neither `//` nor dots are folded.
///
/// Source: AWS, "Signature Calculations for the Authorization Header" (API reference of S3).
public struct CanonicalRequest: Sendable, Hashable {
    /// Parameters of a query that are taken; requests with more have no canonical form here.
    public static let mostParameters: Int = 256

    /// Method, path, query, header fields, their names and the payload, a line each.
    public let text: String
    /// The names of the header fields that are signed, in small letters and in order, joined by `;`.
    public let signedHeaders: String

    /// Writes the canonical form of a request.
    ///
    /// - Parameters:
    ///   - request: Its authority stands for the field `host`.
    ///   - names: The fields that are signed, in small letters; absent ones count as empty.
    ///   - payload: What stands for the body.
    /// - Returns: `nil` where an escape of the target is broken, or the query has more than ``mostParameters`` parameters.
    public init?(of request: HTTPRequest, signing names: some Sequence<String>, payload: SignedPayload) {
        let target = request.path ?? "/"
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let queryText = end < target.endIndex ? target[target.utf8.index(after: end)...] : ""
        guard let path = CanonicalEncoding.decode(target[..<end]), let query = Self.query(queryText) else {
            return nil
        }
        let sorted = Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let fields = sorted.map { "\($0):\(Self.value(of: $0, in: request))\n" }.joined()
        signedHeaders = sorted.joined(separator: ";")
        let plainPath = path.isEmpty ? "/" : CanonicalEncoding.encode(path, keepsSlash: true)
        text = [
            request.method.rawValue, plainPath, query, fields, signedHeaders, payload.text,
        ].joined(separator: "\n")
    }

    /// SHA-256 of the text, in hexadecimal.
    var digest: String { Hexadecimal.encode(SHA256.hash(data: Array(text.utf8))) }

    /// Names and values escaped again, in order; the signature itself is left out.
    private static func query(_ text: Substring) -> String? {
        let pairs = text.split(separator: "&", maxSplits: mostParameters)
        guard pairs.count <= mostParameters else { return nil }
        var encoded: [(name: String, value: String)] = []
        for pair in pairs {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = CanonicalEncoding.decode(sides[0], plusIsBlank: true),
                let value = CanonicalEncoding.decode(sides.count > 1 ? sides[1] : "", plusIsBlank: true)
            else { return nil }
            encoded.append((CanonicalEncoding.encode(name), CanonicalEncoding.encode(value)))
        }
        return encoded.filter { $0.name != "X-Amz-Signature" }
            .sorted { first, second in
                first.name == second.name
                    ? first.value.utf8.lexicographicallyPrecedes(second.value.utf8)
                    : first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
            }
            .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// The value without blanks around it, and with one blank for several.
    private static func value(of name: String, in request: HTTPRequest) -> String {
        if name == "host" { return request.authority ?? "" }
        guard let field = HTTPField.Name(name) else { return "" }
        return request.headerFields[values: field]
            .map { $0.split { $0 == " " || $0 == "\t" }.joined(separator: " ") }
            .joined(separator: ",")
    }
}
