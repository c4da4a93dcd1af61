import Foundation
import HTTPTypes
import PeerKit
import Transport

/// The Files API: resumable uploads, information, lists, removal (ai.google.dev/api/files).
struct FilesEndpoint: Sendable {
    /// The page size when none is asked for, and the largest (ai.google.dev/api/files).
    private static let usualPage = 10
    private static let largestPage = 100

    let store: FileStore
    /// The key of the caller, which has been accepted.
    let owner: String
    /// Scheme and authority under which the client has asked.
    let base: String

    /// Answers a request at `/{version}/files`.
    func answer(_ request: HTTPRequest, _ route: Route) throws(GeminiFailure) -> PeerAnswer {
        switch (request.method, route.components.count) {
        case (.get, 2): return try page(route.query)
        case (.get, 3):
            return .json(try store.file(route.components[2], of: owner).json(at: .now, base: base))
        case (.delete, 3):
            try store.delete(route.components[2], of: owner)
            return .json([:])
        default: throw GeminiFailure(404, "NOT_FOUND", "No such method.")
        }
    }

    private func page(_ query: RequestTarget) throws(GeminiFailure) -> PeerAnswer {
        let size = query["pageSize"].map { Int($0) } ?? 0
        // The token is the number of the last file that was listed.
        let before = query["pageToken"].map { Int($0) } ?? .max
        guard let size, size >= 0, let before, before >= 0 else { throw .invalidArgument }
        let count = min(size == 0 ? Self.usualPage : size, Self.largestPage)
        let (page, hasMore) = store.files(of: owner, before: before, atMost: count)
        var fields: [String: JSONValue] = [:]
        if !page.isEmpty { fields["files"] = .array(page.map { $0.json(at: .now, base: base) }) }
        if hasMore, let last = page.last { fields["nextPageToken"] = .string(String(last.number)) }
        return .json(.object(fields))
    }
}
