import GeminiAPI
import GeminiLive
import GeminiREST
import Glibc
import LiveTransport
import Services

/// Milliseconds from asking to the first words of the answer, through our client and our server, over loopback.
///
/// The server is another process; its model does not wait. Live: one question after another in an open session. REST: one
/// streamed answer after another.
enum FirstToken {
    private static let questions = 300

    private struct Failed: Error { var reason: String }

    static let benchmark = Benchmark(
        name: "gemini.first-token",
        summary: "milliseconds until the first words of an answer, through client and server"
    ) { options in
        let peer = try PeerProcess(.geminiWords)
        let transport = try LiveTransport()
        let endpoint = GeminiEndpoint(authority: peer.address, isSecure: false)
        let live = GeminiLiveModel(client: transport, endpoint: endpoint) { Secret("benchmark") }
        let chat = GeminiChatModel(client: transport, endpoint: endpoint) { Secret("benchmark") }
        let session = try await live.startSession(
            LiveConfiguration(model: "gemini-2.0-flash-live-001", answer: .text)
        )
        let request = ChatRequest(model: "gemini-2.5-flash", contents: [.user("Say something.")])
        var (spoken, streamed) = (Waits(), Waits())
        for round in 0...(options.rounds ?? 7) {
            var (a, b) = ([Double](), [Double]())
            for _ in 0..<questions {
                a.append(try await wait(in: session))
                b.append(try await wait(for: request, from: chat))
            }
            guard round > 0 else { continue }
            spoken.add(a)
            streamed.add(b)
        }
        await session.close()
        await transport.shutdown()
        return spoken.findings("live") + streamed.findings("rest")
    }

    /// Of several rounds, the median and the 95th percentile of each.
    private struct Waits {
        private var middle = Samples(), late = Samples()

        mutating func add(_ seconds: [Double]) {
            let sorted = seconds.sorted()
            middle.add(1000 * sorted[sorted.count / 2])
            late.add(1000 * sorted[sorted.count * 95 / 100])
        }

        func findings(_ name: String) -> [Finding] {
            [
                Finding("gemini.first-token.\(name)", "ms", middle),
                Finding("gemini.first-token.\(name).p95", "ms", late),
            ]
        }
    }

    /// Asks in a session, and reads the whole answer.
    private static func wait(in session: any LiveSession) async throws -> Double {
        let start = Elapsed.now(CLOCK_MONOTONIC)
        var first: Double?
        try await session.send(text: "Say something.")
        while true {
            switch try await session.nextEvent() {
            case .text: first = first ?? Elapsed.now(CLOCK_MONOTONIC) - start
            case .closed(let code, let reason): throw Failed(reason: "closed with \(code) \(reason)")
            case .turnComplete:
                guard let first else { throw Failed(reason: "a turn without words") }
                return first
            default: continue
            }
        }
    }

    /// Asks for a stream, and reads the whole answer.
    private static func wait(for request: ChatRequest, from model: GeminiChatModel) async throws -> Double {
        let start = Elapsed.now(CLOCK_MONOTONIC)
        var first: Double?
        for try await event in try await model.stream(request) {
            if case .text = event { first = first ?? Elapsed.now(CLOCK_MONOTONIC) - start }
        }
        guard let first else { throw Failed(reason: "an answer without words") }
        return first
    }
}
