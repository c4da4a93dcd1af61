import Foundation
import HTTPTypes
import SupabaseServer
import Transport

/// A simulated service, asked in its own words.
struct Wire {
    let project: SupabaseProject
    let server: SupabaseServer

    /// A project with a public bucket `media`, where anybody may insert and read, and a private one, `vault`.
    init(_ change: (inout SupabaseProject) -> Void = { _ in }) throws {
        var project = SupabaseProject.uploads(to: "media")
        project.buckets.append(SupabaseProject.Bucket("vault"))
        change(&project)
        self.project = project
        server = try SupabaseServer(project)
    }

    /// An answer, read to its end.
    struct Reply {
        let status: Int
        let headers: HTTPFields
        let bytes: [UInt8]

        var text: String { String(decoding: bytes, as: UTF8.self) }
        private var members: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any] ?? [:]
        }
        var rows: [[String: Any]] {
            (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [[String: Any]] ?? []
        }

        subscript(name: String) -> String? { members[name] as? String }
        func rows(_ name: String) -> [[String: Any]] { members[name] as? [[String: Any]] ?? [] }
        func integer(_ name: String) -> Int? { members[name] as? Int }

        /// HTTP status, status inside, label: what clients decide by.
        var refusal: [String] { ["\(status)", self["statusCode"] ?? "", self["error"] ?? ""] }
    }

    /// Sends one request, under `/storage/v1`, with the service's key unless another is named.
    @discardableResult
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        key: String?? = nil,
        headers: [String: String] = [:],
        body: HTTPBody = .empty
    ) async -> Reply {
        var request = HTTPRequest(
            method: method,
            scheme: "https",
            authority: "project.example",
            path: "/storage/v1" + path
        )
        if let key = key ?? project.serviceKey { request.headerFields[.authorization] = "Bearer \(key)" }
        for (name, value) in headers {
            if let name = HTTPField.Name(name) { request.headerFields[name] = value }
        }
        let (head, body) = await server.respond(to: request, body: body)
        let bytes = (try? await body.collect(upTo: 1 << 26)) ?? []
        return Reply(status: head.status.code, headers: head.headerFields, bytes: bytes)
    }

    /// Sends JSON.
    @discardableResult
    func send(_ method: HTTPRequest.Method, _ path: String, key: String?? = nil, json: String) async -> Reply
    {
        await send(method, path, key: key, headers: ["content-type": "application/json"], body: .text(json))
    }

    /// Stores a text in `media`, raw.
    @discardableResult
    func put(
        _ text: String,
        at key: String,
        as type: String = "text/plain",
        bucket: String = "media"
    ) async -> Reply {
        await send(.post, "/object/\(bucket)/\(key)", headers: ["content-type": type], body: .text(text))
    }
}

/// A body that arrives in pieces of those sizes, over and over.
func pieces(_ bytes: [UInt8], of sizes: [Int]) -> HTTPBody {
    let source = PieceSource(bytes, sizes)
    return .stream(ByteStream { () async throws(TransportError) in await source.next() }, length: nil)
}

private actor PieceSource {
    private var rest: ArraySlice<UInt8>
    private let sizes: [Int]
    private var count = 0

    init(_ bytes: [UInt8], _ sizes: [Int]) {
        rest = bytes[...]
        self.sizes = sizes
    }

    func next() -> [UInt8]? {
        if rest.isEmpty { return nil }
        let piece = Array(rest.prefix(max(1, sizes[count % sizes.count])))
        rest.removeFirst(piece.count)
        count += 1
        return piece
    }
}
