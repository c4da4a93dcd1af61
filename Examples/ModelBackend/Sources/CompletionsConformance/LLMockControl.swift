import ChatModelConformance
import ServiceClient
import Transport

/// LLMock's interface for scripts and for what came of them.
///
/// Source: `llmock/admin.py` of LLMock 0.2.2, github.com/JulienRabault/LLMock.
struct LLMockControl: ChatServiceWatch {
    private struct Requests: Decodable {
        var count: Int
    }

    private struct Pending: Decodable {
        struct Behavior: Decodable {
            var type: String
        }

        var pending: [Behavior]
    }

    /// Between two questions.
    private static let pause = Duration.milliseconds(20)

    private let service: ServiceClient

    init(client: any HTTPClient, address: String) {
        service = ServiceClient(client, policy: .once) { ServiceAddress(address) }
    }

    /// Forgets all that was, and plays a script from now on.
    func play(_ script: LLMockScript) async throws {
        _ = try await service.answer(to: .post("/_llmock/reset", [String: String]()))
        _ = try await service.answer(to: .post("/_llmock/scenario", script))
    }

    var requests: Int {
        get async { (try? await service.send(.get("/_llmock/requests"), as: Requests.self).count) ?? 0 }
    }

    /// Returns once a request has taken the fault that waits for it.
    func untilAsked() async {
        while !Task.isCancelled {
            let waiting = try? await service.send(.get("/_llmock/scenario"), as: Pending.self).pending
            if let waiting, !waiting.contains(where: { $0.type == "stream_fault" }) { return }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Returns once a request has ended: LLMock lists those that have, and waits up to two seconds for what has not.
    func untilIdle() async {
        while !Task.isCancelled {
            if await requests > 0 { return }
            try? await Task.sleep(for: Self.pause)
        }
    }
}
