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

    private enum Part: Sendable {
        case word(String)
        /// Any segment that is not empty, by its name.
        case value(String)
    }

    private struct Entry: Sendable {
        let method: HTTPRequest.Method
        let parts: [Part]
        /// How many parts are values.
        let values: Int
        let route: Route
    }

    /// By the number of parts; the fewer values, the sooner, since those have the most fixed words.
    private var entries: [Int: [Entry]] = [:]
    /// Routes of fixed words alone, by path: what most requests ask for is found without taking the path apart.
    private var fixed: [String: [Entry]] = [:]

    /// Has no route yet.
    public init() {}

    /// Adds a route.
    public mutating func on(_ method: HTTPRequest.Method, _ path: String, _ route: Route) {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? Part.value(String(part.dropFirst().dropLast())) : .word(String(part))
        }
        let values = parts.count { if case .value = $0 { true } else { false } }
        var same = entries[parts.count] ?? []
        let place = same.firstIndex { $0.values > values } ?? same.endIndex
        let entry = Entry(method: method, parts: parts, values: values, route: route)
        same.insert(entry, at: place)
        entries[parts.count] = same
        if values == 0 { fixed[path, default: []].append(entry) }
    }

    /// Finds the route of a request.
    public func match(_ request: HTTPRequest) -> Match {
        let path = RequestTarget.path(of: request)
        if let found = fixed[String(path)]?.first(where: { $0.method == request.method }) {
            return .found(found.route, [:])
        }
        guard let segments = RequestTarget.segments(of: path), let entries = entries[segments.count]
        else { return .nowhere }
        var values = Int.max
        var allowed: [HTTPRequest.Method] = []
        for entry in entries {
            if entry.values > values { break }
            guard Self.fits(segments, entry.parts) else { continue }
            values = entry.values
            if entry.method == request.method {
                return .found(entry.route, Self.values(of: segments, in: entry.parts))
            }
            allowed.append(entry.method)
        }
        return allowed.isEmpty ? .nowhere : .otherMethod(allowed: allowed)
    }

    private static func fits(_ segments: [String], _ parts: [Part]) -> Bool {
        for (segment, part) in zip(segments, parts) {
            switch part {
            case .word(let word): if segment != word { return false }
            case .value: if segment.isEmpty { return false }
            }
        }
        return true
    }

    private static func values(of segments: [String], in parts: [Part]) -> [String: String] {
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, parts) {
            if case .value(let name) = part { values[name] = segment }
        }
        return values
    }
}
