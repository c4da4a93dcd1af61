import Foundation
import HTTPTypes

/// Where a request goes: version, the rest of the path, and the query.
struct Route: Sendable {
    static let versions: Set<String> = ["v1", "v1beta", "v1alpha"]

    /// The parts of the path; doubled slashes count once, as clients with a trailing slash in their base need.
    let components: [String]
    let query: [String: String]

    init(_ request: HTTPRequest) {
        let halves = (request.path ?? "/").split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        components = halves[0].split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        var query: [String: String] = [:]
        if halves.count == 2 {
            for pair in halves[1].split(separator: "&") {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = sides[0].removingPercentEncoding ?? String(sides[0])
                query[name] = sides.count == 2 ? sides[1].removingPercentEncoding ?? "" : ""
            }
        }
        self.query = query
    }

    /// The version of the Live method that the path names, or `nil` for any other path.
    var liveVersion: String? {
        guard components.count == 2, components[0] == "ws" else { return nil }
        return Self.versions.first {
            components[1] == "google.ai.generativelanguage.\($0).GenerativeService.BidiGenerateContent"
        }
    }

    /// The version that the path begins with, or `nil`.
    var restVersion: String? { components.first.flatMap { Self.versions.contains($0) ? $0 : nil } }
}
