import HTTPTypes
import PeerKit
import Transport

/// The part of the REST side that lists models.
struct ModelDirectory {
    /// The page size when none is asked for, and the largest (ai.google.dev/api/models).
    private static let usualPage = 50
    private static let largestPage = 1000

    let models: [GeminiModel]

    /// Answers a request whose key has been accepted.
    func answer(_ request: HTTPRequest, _ route: Route, version: String) -> PeerAnswer {
        guard request.method == .get, route.components.count >= 2, route.components[1] == "models" else {
            return unknown(request, route)
        }
        switch route.components.count {
        case 2: return page(route.query)
        case 3:
            let id = route.components[2]
            guard let model = models.first(where: { $0.id == id }) else {
                return .notFound(
                    GeminiModel.unknownText("models/\(id)", version: version, method: "generateContent")
                )
            }
            return .json(model.json)
        default: return unknown(request, route)
        }
    }

    private func page(_ query: RequestTarget) -> PeerAnswer {
        let size = query["pageSize"].map { Int($0) } ?? Self.usualPage
        let start = query["pageToken"].map { Int($0) } ?? 0
        guard let size, size >= 0, let start, models.indices.contains(start) || start == 0 else {
            return .failure(400, "INVALID_ARGUMENT", LiveRefusal.invalidArgument.close.reason)
        }
        let count = min(size == 0 ? Self.usualPage : size, Self.largestPage)
        let rest = models.dropFirst(start)
        var fields: [String: JSONValue] = ["models": .array(rest.prefix(count).map(\.json))]
        if rest.count > count { fields["nextPageToken"] = .string(String(start + count)) }
        return .json(.object(fields))
    }

    private func unknown(_ request: HTTPRequest, _ route: Route) -> PeerAnswer {
        .notFound(
            "This simulator has no \(request.method.rawValue) /\(route.components.joined(separator: "/"))."
        )
    }
}
