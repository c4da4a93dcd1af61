import Concurrency
import GeminiAPI
import GeminiREST
import HTTPTypes
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Uploads over a bad line", .simulated(seeds: 1...1))
struct UploadRoundTests {
    /// Takes an upload, and loses each piece once: of the first try it keeps this share of eighths.
    private static func losing(_ received: Box<[UInt8]>, keeping eighths: [Int]) -> ScriptedChat {
        let lost = Box(0)
        @Sendable func field(_ request: HTTPRequest, _ name: String) -> String? {
            HTTPField.Name("X-Goog-Upload-" + name).flatMap { request.headerFields[$0] }
        }
        @Sendable func answer(_ fields: [String: String], _ body: String = "") -> ScriptedServer.Answer {
            var head = HTTPResponse(status: .ok)
            for (name, value) in fields {
                if let name = HTTPField.Name("X-Goog-Upload-" + name) { head.headerFields[name] = value }
            }
            return (head, .text(body))
        }
        return ScriptedChat { _, request, body in
            switch field(request, "Command") {
            case "start":
                return answer(["URL": "http://gemini.test/up?id=1", "Chunk-Granularity": "262144"])
            case "query": return answer(["Status": "active", "Size-Received": "\(received.value.count)"])
            case let command:
                guard field(request, "Offset") == "\(received.value.count)" else {
                    return ScriptedChat.refusal(400, "wrong offset")
                }
                let (number, pieceBytes) = (lost.value, 8 << 20)
                // Pieces of the first try begin where those before them end.
                if number < eighths.count, received.value.count >= number * pieceBytes {
                    lost.increment()
                    received.set(received.value + body.prefix(body.count / 8 * eighths[number]))
                    return ScriptedChat.refusal(503)
                }
                received.set(received.value + body)
                return command == "upload"
                    ? answer(["Status": "active"])
                    : answer(
                        ["Status": "final"],
                        #"{"file":{"name":"files/a","uri":"https://g/files/a","mimeType":"video/mp4","sizeBytes":"9","state":"PROCESSING"}}"#
                    )
            }
        }
    }

    @Test(
        "an upload with more pieces than retries succeeds though each is lost once, wholly or partly",
        arguments: [[0, 0, 0], [4, 0, 4], [4, 4, 4], [0, 0, 4]]
    )
    func pieces(keeping eighths: [Int]) async throws {
        let bytes = [UInt8].pattern(17 << 20)
        let received = Box<[UInt8]>([])
        let files = GeminiFiles(
            client: try await GeminiWorld.transport(
                to: Self.losing(received, keeping: eighths).server,
                port: 80
            ),
            endpoint: GeminiEndpoint(authority: "gemini.test", isSecure: false),
            options: GeminiRESTOptions(
                retries: RetryPolicy(retries: 1, first: .seconds(1), longest: .seconds(2))
            )
        ) { () throws(SecretStoreError) in Secret(ScriptedChat.key) }
        let file = try await files.upload(.bytes(bytes), mediaType: "video/mp4")
        #expect(file.name == "files/a")
        #expect(received.value == bytes)
    }
}
