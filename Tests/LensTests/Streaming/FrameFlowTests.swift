import Concurrency
import Lens
import Services
import SimulationTesting
import Testing

@Suite("Streaming: pictures", .simulated(seeds: 1...3, configuration: .shortWaits))
struct FrameFlowTests {
    @Test("without a picture nothing goes out and the loop goes on")
    func noFrame() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        fixture.camera.hide()
        try await fixture.stream.start()
        await fixture.stream.statistics.reaches { $0.dropped[.noFrame, default: 0] >= 3 }
        #expect(session.frames.isEmpty)
        fixture.camera.show(7)
        await session.sent.reaches { $0.contains(.frame([7])) }
        await fixture.stream.stop()
    }

    @Test("LENS-107 a picture that cannot be encoded is left out once and counted, and the next one goes out")
    func badFrame() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]), encoder: PassingEncoder(refused: [1]))
        try await fixture.stream.start()
        await fixture.stream.statistics.reaches { $0.dropped[.unchanged, default: 0] >= 3 }
        #expect(fixture.stream.statistics.value.dropped[.encoding] == 1)
        fixture.camera.show(2)
        await session.sent.reaches { $0.contains(.frame([2])) }
        #expect(session.frames == [[2]])
        await fixture.stream.stop()
    }

    @Test("a picture that the camera still shows is sent once")
    func unchanged() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        await fixture.stream.statistics.reaches { $0.dropped[.unchanged, default: 0] >= 5 }
        #expect(session.frames == [[1]])
        #expect(fixture.stream.statistics.value.bytesSent == 1)
        #expect(fixture.stream.statistics.value.sendLatency.count == 1)
        await fixture.stream.stop()
    }

    @Test("while the peer is slow pictures are skipped, and the newest goes out next")
    func slowPeer() async throws {
        let session = ScriptedSession()
        session.accepts.set(false)
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        await session.offered.reaches { $0 == 1 }
        for number in 2...50 {
            fixture.camera.show(number)
            await Task.yield()
        }
        #expect(session.offered.value == 1)
        session.accepts.set(true)
        await session.sent.reaches { $0.filter { $0 != .text("What is it?") }.count >= 2 }
        #expect(session.frames == [[1], [50]])
        await fixture.stream.stop()
    }

    @Test("each picture is read from the camera, encoded and sent in this order")
    func order() async throws {
        let session = ScriptedSession()
        let steps = CurrentValue<[String]>([])
        let stream = StreamingSession(
            model: ScriptedModel(sessions: [session]),
            encoder: NotingEncoder(steps: steps),
            policy: StreamingPolicy(model: "test-model", commentary: StreamFixture.silent),
            framesPerSecond: { 5 },
            latestFrame: {
                steps.update { $0.append("read") }
                let count = steps.value.count
                return VideoFrame(
                    sequence: count,
                    timestamp: .zero,
                    size: nil,
                    content: .jpeg([UInt8(truncatingIfNeeded: count)])
                )
            }
        )
        try await stream.start()
        await steps.reaches { $0.count >= 6 }
        await stream.stop()
        #expect(Array(steps.value.prefix(6)) == ["read", "encode", "read", "encode", "read", "encode"])
        #expect(Array(session.frames.prefix(2)) == [[1], [3]])
    }
}

private struct NotingEncoder: FrameEncoder {
    let steps: CurrentValue<[String]>

    func encode(_ frame: VideoFrame) async throws -> [UInt8] {
        steps.update { $0.append("encode") }
        return try await PassingEncoder().encode(frame)
    }
}
