import Foundation
import GeminiServer
import HTTPTypes
import SimulationTesting
import Testing
import Transport

@Suite("Model directory", .simulated(seeds: 1...20))
struct ModelDirectoryTests {
    private static func get(
        _ path: String,
        key: String? = GeminiWorld.key,
        method: HTTPRequest.Method = .get
    ) async throws -> (status: Int, json: [String: Any]) {
        var request = HTTPRequest(method: method, scheme: "https", authority: "gemini.test", path: path)
        request.headerFields[try #require(HTTPField.Name("x-goog-api-key"))] = key
        let answer = try await GeminiWorld().transport.send(request, body: .empty, timeout: .seconds(60))
        let bytes = try await answer.body.collect(upTo: 100_000)
        let json = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        return (answer.head.status.code, json ?? [:])
    }

    private static func error(_ json: [String: Any]) -> [String: Any] {
        json["error"] as? [String: Any] ?? [:]
    }

    @Test("models are listed in pages")
    func pages() async throws {
        var names: [String] = []
        var token: String? = ""
        while let next = token {
            let (status, json) = try await Self.get(
                "/v1beta/models?pageSize=2&pageToken=\(next.isEmpty ? "0" : next)"
            )
            #expect(status == 200)
            names += (json["models"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            token = json["nextPageToken"] as? String
        }
        #expect(names == GeminiServerSettings.usualModels.map { "models/\($0.id)" })
    }

    @Test("one model is found by name, and an unknown one is not")
    func one() async throws {
        let (status, json) = try await Self.get("/v1//models/gemini-2.0-flash-live-001")
        #expect(status == 200)
        #expect(json["supportedGenerationMethods"] as? [String] == ["bidiGenerateContent"])
        let (missing, refusal) = try await Self.get("/v1alpha/models/none")
        #expect(missing == 404)
        #expect(Self.error(refusal)["status"] as? String == "NOT_FOUND")
        #expect(
            (Self.error(refusal)["message"] as? String)?.hasPrefix(
                "models/none is not found for API version v1alpha"
            ) == true
        )
    }

    @Test(
        "other paths and verbs are 404",
        arguments: ["/", "/v9/models", "/v1/tunedFiles", "/v1/models/a/b"]
    )
    func unknown(path: String) async throws {
        #expect(try await Self.get(path).status == 404)
        #expect(try await Self.get("/v1/models", method: .post).status == 404)
    }

    @Test("a bad key is 400 with its reason, and none is 403")
    func keys() async throws {
        let (status, json) = try await Self.get("/v1/models", key: "wrong")
        #expect(status == 400)
        let details = Self.error(json)["details"] as? [[String: Any]]
        #expect(details?.first?["reason"] as? String == "API_KEY_INVALID")
        #expect(try await Self.get("/v1/models", key: nil).status == 403)
    }

    @Test(
        "bad pages are 400",
        arguments: ["pageSize=x", "pageSize=-1", "pageToken=99", "pageToken=-1", "pageToken="]
    )
    func badPages(query: String) async throws {
        #expect(try await Self.get("/v1/models?\(query)").status == 400)
    }
}
