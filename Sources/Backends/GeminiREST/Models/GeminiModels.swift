public import GeminiAPI
import ServiceClient
public import Services
public import Transport

/// The models that Gemini has, for a key.
///
/// Source: ai.google.dev/api/models.
public struct GeminiModels: Sendable {
    /// Models on one page of the list.
    public struct Page: Sendable, Hashable {
        /// In the service's order.
        public var models: [ListedModel]
        /// What the next page is asked for with; `nil` on the last one.
        public var next: String?
    }

    /// Models of the longest list that ``all()`` reads, and its pages; the service has some dozens.
    public static let mostModels: Int = 10_000
    private static let mostPages = 100
    /// The largest page that the service gives.
    private static let largestPage = 1000
    /// Bytes of the longest token of a page.
    private static let longestToken = 4096

    private let requests: GeminiRequests

    /// Makes a client whose key is asked for at each call; see ``GeminiChatModel``.
    public init(
        client: any HTTPClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiRESTOptions = GeminiRESTOptions(),
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        requests = GeminiRequests(client: client, endpoint: endpoint, options: options, key: key)
    }

    /// Asks for all models, page by page.
    ///
    /// - Throws: Any `ChatModelError`; `tooLarge` for a list of more than ``mostModels`` or without an end.
    public func all() async throws(ChatModelError) -> [ListedModel] {
        var models: [ListedModel] = []
        var token: String?
        for _ in 0..<Self.mostPages {
            let page = try await self.page(after: token, size: Self.largestPage)
            models += page.models
            guard models.count <= Self.mostModels else { break }
            guard let next = page.next else { return models }
            token = next
        }
        throw try requests.call("list models").error(
            .tooLarge,
            "\(models.count) models, and the list goes on",
            status: 200
        )
    }

    /// Asks for one page of the list.
    ///
    /// - Parameters:
    ///   - token: The ``Page/next`` of the page before; `nil` for the first.
    ///   - size: Models on it at most, from 1 to 1000; `nil` for the service's 50.
    /// - Throws: Any `ChatModelError`; `rejected` for a token that the service does not know.
    public func page(
        after token: String? = nil,
        size: Int? = nil
    ) async throws(ChatModelError) -> Page {
        let call = try requests.call("list models")
        if let size, !(1...Self.largestPage).contains(size) {
            throw call.error(.rejected, "a page of \(size) models")
        }
        var query: [(name: String, value: String)] = []
        if let size { query.append(("pageSize", "\(size)")) }
        if let token { query.append(("pageToken", token)) }
        let request = call.carrying(.get("/models", query: query))
        let document: ListDocument = try await requests.document(request, call)
        let next = document.nextPageToken ?? ""
        guard next.utf8.count <= Self.longestToken else {
            throw call.error(.malformed, "a token of \(next.utf8.count) bytes", status: 200)
        }
        return Page(models: document.models ?? [], next: next.isEmpty ? nil : next)
    }

    /// Asks for one model.
    ///
    /// - Parameter name: With or without `models/`.
    /// - Throws: Any `ChatModelError`; `notFound` for one that does not exist.
    public func model(_ name: String) async throws(ChatModelError) -> ListedModel {
        let call = try requests.call("ask for a model")
        return try await requests.document(call.carrying(.get("/\(ModelPath(name, call).text)")), call)
    }
}

/// A page of the list as it travels.
private struct ListDocument: Decodable {
    let models: [ListedModel]?
    let nextPageToken: String?
}
