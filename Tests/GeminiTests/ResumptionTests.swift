import GeminiLive
import GeminiServer
import Services
import SimulationTesting
import Testing
import Transport

@Suite("Resumption", .simulated(seeds: 1...20))
struct ResumptionTests {
    /// Has one turn, and gives the handle that follows it.
    private static func handle(_ session: any LiveSession) async throws -> String {
        try await session.send(text: "Hi")
        while true {
            switch try await session.nextEvent() {
            case .resumable(let handle): return handle
            case .closed(let code, let reason):
                Issue.record("closed with \(code) \(reason)")
                return ""
            default: break
            }
        }
    }

    private static func resumed(_ handle: String) -> LiveConfiguration {
        LiveConfiguration(model: GeminiWorld.model, resumption: handle)
    }

    @Test("a handle brings back the conversation with what it had seen")
    func resume() async throws {
        let world = try await GeminiWorld(
            script: GeminiScript(brain: DescribingBrain(delayMilliseconds: 0...0))
        )
        let first = try await world.open()
        for number in 0..<3 { try await first.send(frame: TestPicture.jpeg(number: UInt8(number))) }
        let handle = try await Self.handle(first)
        await first.close()
        try await world.serverSeesClose(of: 0)
        let second = try await world.open(Self.resumed(handle))
        try await second.send(text: "Still there?")
        let text = try await second.turn()
        #expect(text.contains("3 frames so far"))
        #expect(text.hasSuffix("That was turn 2"))
        #expect(world.server.record.sessions[1].isResumed)
    }

    @Test("the old connection must be closed first")
    func stillOpen() async throws {
        let world = try await GeminiWorld()
        let first = try await world.open()
        let handle = try await Self.handle(first)
        await #expect { _ = try await world.open(Self.resumed(handle)) } throws: { error in
            (error as? LiveModelError)?.code == .unavailable && (error as? LiveModelError)?.closeCode == 1011
        }
        await first.close()
    }

    @Test("unknown and expired handles are refused with 1008")
    func stale() async throws {
        let settings = GeminiServerSettings(keys: [GeminiWorld.key], handleLife: .zero)
        let world = try await GeminiWorld(settings: settings)
        let first = try await world.open()
        let handle = try await Self.handle(first)
        await first.close()
        try await world.serverSeesClose(of: 0)
        for handle in ["nonsense", handle] {
            await #expect { _ = try await world.open(Self.resumed(handle)) } throws: { error in
                let error = error as? LiveModelError
                return error?.code == .rejected && error?.closeCode == 1008
                    && error?.detail == "BidiGenerateContent session not found"
            }
        }
    }
}

extension GeminiWorld {
    /// Returns when the server has seen the end of all sessions.
    func serverSeesClose(of index: Int) async throws {
        try await settle()
        _ = try #require(server.record.sessions[index].close)
    }
}
