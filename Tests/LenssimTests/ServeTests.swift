import Foundation
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Simulated services on sockets, asked by a client that is not ours.
@Suite("Serving simulated services", .timeLimit(.minutes(10)))
struct ServeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a served Supabase stores an object, gives it back, and ends when asked`() async throws {
        let peer = try await ServedPeer.start(["serve", "supabase"], in: folder.path, ready: "service key")
        let photo = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let key = try #require(peer.started.value(after: "anon key"))

        let stored = try await peer.ask(
            "/storage/v1/object/lens/a/b.jpg",
            method: "POST",
            key: key,
            body: photo
        )
        #expect(stored.status == 200, "\(stored.text)")
        #expect(try stored.json()["Key"] as? String == "lens/a/b.jpg")
        let found = try await peer.ask("/storage/v1/object/public/lens/a/b.jpg")
        #expect(found.status == 200)
        #expect(found.body == photo)
        let again = try await peer.ask(
            "/storage/v1/object/lens/a/b.jpg",
            method: "POST",
            key: key,
            body: photo
        )
        #expect(try again.json()["error"] as? String == "Duplicate", "\(again.text)")
        try await peer.endsWhenAsked()
    }

    @Test func `a served Gemini lists its models to who has the key, and ends when asked`() async throws {
        let peer = try await ServedPeer.start(["serve", "gemini"], in: folder.path, ready: "model ")
        let key = try #require(peer.started.value(after: "key"))
        let model = try #require(peer.started.value(after: "model"))

        let listed = try await peer.ask("/v1beta/models?pageSize=100&key=\(key)")
        #expect(listed.status == 200)
        let names = (try listed.json()["models"] as? [[String: Any]] ?? []).map { $0["name"] as? String }
        #expect(names.contains("models/\(model)"))
        #expect(try await peer.ask("/v1beta/models?key=another").status == 400)
        try await peer.endsWhenAsked()
    }
}

/// A `lenssim serve` that runs.
private struct ServedPeer {
    struct Answer {
        var status: Int
        var body: Data
        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> [String: Any] {
            try #require(JSONSerialization.jsonObject(with: body) as? [String: Any], "\(text)")
        }
    }

    var started: CommandLineRun.Started
    var address: URL

    /// Starts it, and waits until it has printed its last line, which holds `ready`.
    static func start(_ arguments: [String], in folder: String, ready: String) async throws -> ServedPeer {
        let started = try CommandLineRun.start(arguments, in: folder)
        try await started.waits(for: ready)
        let word = started.output().split(separator: " ").first { $0.hasPrefix("http://127.0.0.1:") }
        let address = try #require(word.flatMap { URL(string: String($0.dropLast())) }, "\(started.output())")
        return ServedPeer(started: started, address: address)
    }

    func ask(
        _ path: String,
        method: String = "GET",
        key: String? = nil,
        body: Data? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: path, relativeTo: address)))
        request.httpMethod = method
        request.httpBody = body
        request.timeoutInterval = 30
        if let key { request.setValue("Bearer \(key)", forHTTPHeaderField: "Authorization") }
        if body != nil { request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type") }
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let (data, response) = try await session.data(for: request)
        return Answer(status: try #require(response as? HTTPURLResponse).statusCode, body: data)
    }

    func endsWhenAsked() async throws {
        started.process.terminate()
        #expect(try await started.finish().status == 0)
    }
}
