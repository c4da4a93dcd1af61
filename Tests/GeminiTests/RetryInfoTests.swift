import GeminiAPI
import GeminiLive
import HTTPTypes
import Services
import SimulationTesting
import Testing
import Transport

@Suite("Refusals that ask to wait", .simulated(seeds: 1...3))
struct RetryInfoTests {
    /// Refuses every handshake.
    private struct RefusingServer: Server {
        let retryAfter: String?
        let body: String

        func respond(
            to request: HTTPRequest,
            body: HTTPBody
        ) async -> (head: HTTPResponse, body: HTTPBody) { (HTTPResponse(status: .notFound), .empty) }

        func upgrade(_ request: HTTPRequest) async -> WebSocketUpgrade {
            var head = HTTPResponse(status: .tooManyRequests)
            head.headerFields[.retryAfter] = retryAfter
            return .refuse(head, .text(body))
        }
    }

    private static func body(_ details: String) -> String {
        #"{"error":{"code":429,"message":"quota","status":"RESOURCE_EXHAUSTED","details":[\#(details)]}}"#
    }

    private static let help = #"{"@type":"type.googleapis.com/google.rpc.Help","retryDelay":"99s"}"#

    private static func info(_ delay: String) -> String {
        #"{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":\#(delay)}"#
    }

    @Test(
        arguments: [
            (nil, body(info("\"34s\"")), .seconds(34)),
            (nil, body(help + "," + info("\"1.5s\"")), .milliseconds(1500)),
            (nil, "[" + body(info("\"34s\"")) + "]", .seconds(34)),
            // The later of two, so that neither is asked too early.
            ("60", body(info("\"34s\"")), .seconds(60)), ("5", body(info("\"34s\"")), .seconds(34)),
            ("5", "not JSON", .seconds(5)),
            (nil, body(help), nil), (nil, body(info("34")), nil), (nil, body(info("\"soon\"")), nil),
            (nil, body("7," + info("\"3s\"")), .seconds(3)), (nil, "", nil), (nil, "{}", nil),
            (nil, #"{"error":"busy"}"#, nil), (nil, body(info("\"-3s\"")), nil),
        ] as [(String?, String, Duration?)]
    )
    func `the header and Google's own detail are read`(
        _ header: String?,
        _ body: String,
        _ wait: Duration?
    ) async throws {
        let transport = try await GeminiWorld.transport(
            to: RefusingServer(retryAfter: header, body: body),
            port: 80
        )
        let model = GeminiLiveModel(
            client: transport,
            endpoint: GeminiEndpoint(authority: "gemini.test", isSecure: false)
        ) { () throws(SecretStoreError) in Secret("sesame") }
        let error = await #expect(throws: LiveModelError.self) {
            try await model.startSession(LiveConfiguration(model: "m"))
        }
        #expect(error?.code == .quotaExceeded)
        #expect(error?.retryAfter == wait)
    }
}
