import HTTPTypes
import PeerKit

/// Where a request goes: version, the rest of the path, and the query.
struct Route: Sendable {
    static let versions: Set<String> = ["v1", "v1beta", "v1alpha"]

    /// The parts of the path; doubled slashes count once, as clients with a trailing slash in their base need.
    let components: [String]
    let query: RequestTarget

    init(_ request: HTTPRequest) {
        query = RequestTarget(request)
        components = query.segments?.filter { !$0.isEmpty } ?? []
    }

    /// The version of the Live method that the path names, or `nil` for any other path.
    var liveVersion: String? {
        guard components.count == 2, components[0] == "ws" else { return nil }
        if isConstrained { return Self.tokenVersion }
        return Self.versions.first {
            components[1] == "google.ai.generativelanguage.\($0).GenerativeService.BidiGenerateContent"
        }
    }

    /// The only version that knows ephemeral tokens.
    static let tokenVersion = "v1alpha"

    /// Whether the path is that of the Live method for ephemeral tokens.
    var isConstrained: Bool {
        components.count == 2 && components[0] == "ws"
            && components[1]
                == "google.ai.generativelanguage.\(Self.tokenVersion).GenerativeService.BidiGenerateContentConstrained"
    }

    /// Whether the path is `/v1alpha/auth_tokens`.
    var isTokens: Bool { components == [Self.tokenVersion, "auth_tokens"] }

    /// The version that the path begins with, after `upload` where bytes are sent; `nil` when there is none.
    var restVersion: String? {
        let place = components.first == "upload" ? 1 : 0
        guard components.indices.contains(place), Self.versions.contains(components[place]) else {
            return nil
        }
        return components[place]
    }

    /// Whether the path is `/upload/{version}/files`.
    var isUpload: Bool { components.count == 3 && components[0] == "upload" && components[2] == "files" }
}
