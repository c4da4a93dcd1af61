import GeminiLive
import GeminiServer
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Refused sessions", .simulated(seeds: 1...20))
struct RefusalTests {
    /// The error of a session that must not open.
    private static func failure(
        _ model: GeminiLiveModel,
        _ configuration: LiveConfiguration = LiveConfiguration(model: GeminiWorld.model)
    ) async -> LiveModelError? {
        do throws(LiveModelError) {
            _ = try await model.startSession(configuration)
            return nil
        } catch {
            return error
        }
    }

    @Test("without a key no connection is tried", arguments: [nil, ""])
    func missingKey(key: String?) async throws {
        let world = try await GeminiWorld()
        #expect(await Self.failure(world.client(key: key))?.code == .missingKey)
        #expect(world.server.record.handshakeCount == 0)
    }

    @Test("a bad or expired key is refused after the setup, and shows in no word of the error")
    func badKey() async throws {
        let settings = GeminiServerSettings(keys: [GeminiWorld.key], expiredKeys: ["old secret"])
        let world = try await GeminiWorld(settings: settings)
        for key in ["wrong secret", "old secret"] {
            let error = try #require(await Self.failure(world.client(key: key)))
            #expect(error.code == .invalidKey)
            #expect(error.closeCode == 1007)
            #expect(!"\(error)".contains("secret"))
        }
        #expect(world.server.record.sessions.map(\.messageCount) == [1, 1])
    }

    @Test("a key that the service repeats is blotted out", arguments: ["sesame", "API key sesame not valid"])
    func echoedKey(reason: String) async throws {
        let model = try await ScriptedServer.model { socket in
            _ = try? await socket.receive()
            await socket.close(WebSocketClose(code: 1007, reason: reason))
        }
        let error = try #require(await Self.failure(model))
        #expect(!"\(error)".contains("sesame"))
        #expect(error.detail.contains("<secret>"))
    }

    @Test("an unknown model is refused with the service's words, cut at 123 bytes")
    func unknownModel() async throws {
        let world = try await GeminiWorld()
        let error = try #require(
            await Self.failure(world.client(), LiveConfiguration(model: "gemini-2.5-flash"))
        )
        #expect(error.code == .rejected)
        #expect(error.closeCode == 1008)
        #expect(error.detail.hasPrefix("models/gemini-2.5-flash is not found for API version v1beta, or is"))
        #expect(error.detail.utf8.count == 123)
    }

    @Test(
        "the close of a refused session decides the error",
        arguments: [
            (
                WebSocketClose(code: 1007, reason: "API key not valid. Please pass…"),
                LiveModelError.Code.invalidKey
            ),
            (WebSocketClose(code: 1011, reason: "API key expired."), .invalidKey),
            (WebSocketClose(code: 1011, reason: "You exceeded your current quota, please"), .quotaExceeded),
            (WebSocketClose(code: 1011, reason: "RESOURCE_EXHAUSTED: Maximum concurrent se"), .unavailable),
            (WebSocketClose(code: 1011, reason: "Internal error encountered."), .unavailable),
            (WebSocketClose(code: 1007, reason: "Request contains an invalid argument."), .rejected),
            (WebSocketClose(code: 1008, reason: "BidiGenerateContent session not found"), .rejected),
            (WebSocketClose(code: 1008, reason: "The operation was aborted."), .unavailable),
            (WebSocketClose(code: 1000, reason: "The operation was cancelled."), .unavailable),
            (.abnormal, .unreachable),
        ]
    )
    func closes(close: WebSocketClose, code: LiveModelError.Code) async throws {
        let model = try await ScriptedServer.model { socket in
            _ = try? await socket.receive()
            await socket.close(close)
        }
        let error = try #require(await Self.failure(model))
        #expect(error.code == code)
        #expect(error.closeCode == close.code)
    }

    @Test(
        "a refused handshake is reported by its status",
        arguments: [
            (401, LiveModelError.Code.invalidKey), (429, .quotaExceeded), (404, .rejected),
            (503, .unavailable),
        ]
    )
    func handshake(status: Int, code: LiveModelError.Code) async throws {
        Simulation.current?.arm(
            faultPoint: "gemini.handshake.refused",
            values: ["status": Double(status)],
            atMost: 1
        )
        let world = try await GeminiWorld()
        #expect(await Self.failure(world.client())?.code == code)
        _ = try await world.open()
    }

    @Test("a setup that is never answered times out, and the connection is closed")
    func neverAnswered() async throws {
        Simulation.current?.arm(faultPoint: "gemini.live.mute", atMost: 1)
        let world = try await GeminiWorld()
        let error = try #require(
            await Self.failure(world.client(options: GeminiOptions(setupTimeout: .milliseconds(5))))
        )
        #expect(error.code == .timedOut)
        try await world.settle()
        #expect(world.server.record.sessions[0].close == .normal)
        #expect(!world.server.record.sessions[0].isAccepted)
    }

    @Test("a service that talks without accepting the setup is given up")
    func chatter() async throws {
        let model = try await ScriptedServer.model { socket in
            while (try? await socket.send(text: "{}")) != nil {}
        }
        #expect(await Self.failure(model)?.code == .unavailable)
    }

    @Test("a cancelled start leaves no open connection")
    func cancelled() async throws {
        Simulation.current?.arm(faultPoint: "gemini.live.mute", atMost: 1)
        let world = try await GeminiWorld()
        let start = Task { await Self.failure(world.client()) }
        start.cancel()
        #expect(await start.value?.code == .cancelled)
        try await world.settle()
        #expect(world.server.record.sessions.allSatisfy { $0.close != nil })
    }
}
