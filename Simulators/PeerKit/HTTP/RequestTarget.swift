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

    /// Takes the target of a request apart.
    public init(_ request: HTTPRequest) { self.init(request.path ?? "/") }

    init(_ text: String) {
        let pathEnd = text.utf8.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
        path = String(text[..<pathEnd])
        let query = pathEnd < text.endIndex ? text[text.utf8.index(after: pathEnd)...] : ""
        let pairs = query.split(separator: "&", maxSplits: Self.mostParameters)
        self.query = pairs.prefix(Self.mostParameters).map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.plain(sides.first ?? ""), sides.count > 1 ? Self.plain(sides[1]) : "")
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
    private static func plain(_ side: Substring) -> String {
        guard side.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
            return String(side)
        }
        let spaced = String(side.map { $0 == "+" ? " " : $0 })
        return PercentCoding.decode(spaced) ?? spaced
    }
}
