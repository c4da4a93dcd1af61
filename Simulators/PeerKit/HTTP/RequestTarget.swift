public import HTTPTypes

/// The path and the query of a request.
public struct RequestTarget: Sendable {
    /// Parameters of a query that are read; later ones are left out.
    public static let mostParameters: Int = 256

    /// The path as it came, with its escapes.
    public let path: String
    private let query: [(name: String, value: String)]

    /// The path of a request alone, as it came.
    package static func path(of request: HTTPRequest) -> Substring {
        let text = request.path ?? "/"
        return text[..<(text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex)]
    }

    /// The target of a request as far as a log keeps it: its first 500 characters.
    package static func beginning(of request: HTTPRequest) -> String {
        let text = request.path ?? "/"
        // Counting characters takes time, and no text has more of them than bytes.
        return text.utf8.count <= 500 ? text : String(text.prefix(500))
    }

    /// Takes the target of a request apart.
    public init(_ request: HTTPRequest) { self.init(request.path ?? "/") }

    init(_ text: String) {
        let pathEnd = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        path = String(text[..<pathEnd])
        let query = pathEnd < text.endIndex ? text[text.utf8.index(after: pathEnd)...].utf8 : "".utf8[...]
        let pairs = query.split(separator: UInt8(ascii: "&"), maxSplits: Self.mostParameters)
        self.query = pairs.prefix(Self.mostParameters).map { pair in
            guard let sign = pair.firstIndex(of: UInt8(ascii: "=")) else { return (Self.plain(pair), "") }
            return (Self.plain(pair[..<sign]), Self.plain(pair[pair.index(after: sign)...]))
        }
    }

    /// The parts of the path between slashes, without escapes; empty parts stay.
    ///
    /// It is `nil` when an escape is broken.
    public var segments: [String]? { Self.segments(of: path[...]) }

    /// The parts of a path between slashes; see ``segments``.
    package static func segments(of path: Substring) -> [String]? {
        let parts = path.dropFirst(path.hasPrefix("/") ? 1 : 0).split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        let decoded = parts.compactMap { PercentCoding.decode($0) }
        return decoded.count == parts.count ? decoded : nil
    }

    /// The first value of that name in the query.
    public subscript(name: String) -> String? { query.first { $0.name == name }?.value }

    /// In a query, a plus sign is a blank; a text whose escapes are broken stays as it is.
    private static func plain(_ bytes: Substring.UTF8View) -> String {
        let side = Substring(bytes)
        guard bytes.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
            return String(side)
        }
        let spaced = String(side.map { $0 == "+" ? " " : $0 })
        return PercentCoding.decode(spaced) ?? spaced
    }
}
