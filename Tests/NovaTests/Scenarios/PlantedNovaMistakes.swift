import Foundation
import HTTPTypes
import Nova
import NovaScenarios
import Services
import Transport

extension NovaMistake {
    /// All of them: services that do less, or more, than the app may count on.
    static let all: [NovaMistake] = likes + creations + lists + endings

    private static let likes = [
        NovaMistake(
            "a like is said to be done, and is not",
            in: NovaLikes.self,
            breaks: "Nova has the last wish for a post, or it was given up"
        ) { $0.http = AlteredNova($0.http, .pretends, "/like") },
        NovaMistake(
            "a like is sent twice at once",
            in: NovaLikes.self,
            breaks: "a lane has one request under way at most"
        ) { $0.http = AlteredNova($0.http, .twice, "/like") },
        NovaMistake(
            "what waits is not kept",
            in: NovaOffline.self,
            breaks: "Nova has the last wish for a post, or it was given up"
        ) { $0.databasePath = ":memory:" },
    ]

    private static let creations = [
        NovaMistake(
            "a comment has another key at each try",
            in: NovaComments.self,
            breaks: "Nova has no comment twice"
        ) { $0.http = AlteredNova($0.http, .otherKey, "/comments") },
        NovaMistake(
            "a comment has other words at each try",
            in: NovaComments.self,
            breaks: "a key goes with the same request each time"
        ) { $0.http = AlteredNova($0.http, .otherBody, "/comments") },
        NovaMistake(
            "a post has another key at each try",
            in: NovaPublish.self,
            breaks: "Nova has no post twice"
        ) { $0.http = AlteredNova($0.http, .otherKey, "/posts") },
        NovaMistake(
            "an upload is said to be done, and is not",
            in: NovaPublish.self,
            breaks: "Nova has every post, or it is shown as failed"
        ) { $0.http = AlteredNova($0.http, .pretends, "/posts") },
        NovaMistake(
            "the storage gets a token",
            in: NovaPublish.self,
            breaks: "no token goes to the storage"
        ) { $0.http = AlteredNova($0.http, .token, ".jpg") },
    ]

    private static let lists = [
        NovaMistake(
            "a page is passed over",
            in: NovaFeed.self,
            breaks: "a feed that grows between its pages misses none of the older posts"
        ) { $0.http = AlteredNova($0.http, .nextPage, "/feed") },
        NovaMistake(
            "something else is searched for",
            in: NovaSearch.self,
            breaks: "what is found belongs to the text"
        ) { $0.http = AlteredNova($0.http, .otherQuery, "/search/users") },
    ]

    private static let endings = [
        NovaMistake(
            "the session is not forgotten",
            in: NovaSignOut.self,
            breaks: "nothing is sent for a person who has signed out"
        ) { $0.secrets = UnforgettingSecrets($0.secrets) },
        NovaMistake(
            "a call that was given up goes out",
            in: NovaSignOut.self,
            breaks: "nothing is sent for a person who has signed out"
        ) { $0.http = AlteredNova($0.http, .late, "/feed") },
        NovaMistake(
            "events are said to be taken, and are not",
            in: NovaAnalytics.self,
            breaks: "no event is lost but with its process"
        ) { $0.http = AlteredNova($0.http, .pretends, "/analytics/events") },
    ]
}

/// A client that does something else with the requests to one path that change something, or, of readings, with all of them.
struct AlteredNova: HTTPClient {
    enum Change: Sendable {
        case pretends, twice, otherKey, otherBody, token, nextPage, otherQuery, late
    }

    private let base: any HTTPClient
    private let change: Change
    private let path: String

    init(_ base: any HTTPClient, _ change: Change, _ path: String) {
        (self.base, self.change, self.path) = (base, change, path)
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let isReading = [.nextPage, .otherQuery, .late].contains(change)
        guard (request.path ?? "").prefix(while: { $0 != "?" }).hasSuffix(path),
            isReading || request.method != .get
        else { return try await base.send(request, body: body, limits: limits) }
        var (request, body) = (request, body)
        switch change {
        case .pretends:
            let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
            return (head, .text(#"{"id":"nothing","created_at":"2026-01-01T00:00:00Z"}"#))
        case .twice:
            let first = Task { [base, request, body] in
                _ = try? await base.send(request, body: body, limits: limits)
            }
            defer { first.cancel() }
            return try await base.send(request, body: body, limits: limits)
        case .otherKey:
            HTTPField.Name("Idempotency-Key").map { request.headerFields[$0] = UUID().uuidString }
        case .otherBody: body = .text(#"{"text":"\#(Int.random(in: 0..<1_000_000))"}"#)
        case .token: request.headerFields[.authorization] = "Bearer token"
        case .nextPage: request.path = request.path?.replacing("page=1&", with: "page=2&")
        case .otherQuery: request.path = request.path?.replacing("q=a", with: "q=g")
        case .late:
            // It does not end when it is cancelled.
            await Task.detached { try? await Task.sleep(for: .seconds(3)) }.value
        }
        return try await base.send(request, body: body, limits: limits)
    }
}

/// A store that forgets nothing.
struct UnforgettingSecrets: SecretStore {
    private let base: any SecretStore

    init(_ base: any SecretStore) { self.base = base }

    func secret(named name: String) throws(SecretStoreError) -> Secret? { try base.secret(named: name) }

    func set(_ secret: Secret?, named name: String) throws(SecretStoreError) {
        if let secret { try base.set(secret, named: name) }
    }
}
