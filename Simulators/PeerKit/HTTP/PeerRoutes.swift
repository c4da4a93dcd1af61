public import HTTPTypes

/// The routes of an API: a method and a path each, and what answers there.
///
/// A path is made of segments between slashes. One in braces, as in `/posts/{id}`, takes any segment that is not empty; fixed words win over
/// it. Letter case counts, and so does a slash at the end.
public struct PeerRoutes<Route: Sendable>: Sendable {
    /// Where a request leads.
    public enum Match: Sendable {
        /// To a route, with the segments in braces by their names, without escapes.
        case found(Route, [String: String])
        /// To a path that has no such method, but these.
        case otherMethod(allowed: [HTTPRequest.Method])
        /// Nowhere.
        case nowhere
    }

    private struct Entry: Sendable {
        let method: HTTPRequest.Method
        let segments: [String]
        let route: Route
    }

    private var entries: [Entry] = []

    /// Has no route yet.
    public init() {}

    /// Adds a route.
    public mutating func on(_ method: HTTPRequest.Method, _ path: String, _ route: Route) {
        entries.append(Entry(method: method, segments: Self.segments(of: path), route: route))
    }

    /// Finds the route of a request.
    public func match(_ request: HTTPRequest) -> Match {
        guard let segments = RequestTarget(request).segments else { return .nowhere }
        let candidates = entries.compactMap { entry in
            Self.values(of: segments, in: entry.segments).map { (entry: entry, values: $0) }
        }
        // The one with the fewest values has the most fixed words.
        guard let fewest = candidates.map(\.values.count).min() else { return .nowhere }
        let nearest = candidates.filter { $0.values.count == fewest }
        if let found = nearest.first(where: { $0.entry.method == request.method }) {
            return .found(found.entry.route, found.values)
        }
        return .otherMethod(allowed: nearest.map(\.entry.method))
    }

    private static func segments(of path: String) -> [String] {
        path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    }

    private static func values(of segments: [String], in pattern: [String]) -> [String: String]? {
        guard segments.count == pattern.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, pattern) {
            if part.hasPrefix("{"), part.hasSuffix("}") {
                guard !segment.isEmpty else { return nil }
                values[String(part.dropFirst().dropLast())] = segment
            } else if segment != part {
                return nil
            }
        }
        return values
    }
}
