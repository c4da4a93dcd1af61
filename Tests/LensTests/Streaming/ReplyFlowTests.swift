import AppKernel
import Concurrency
import Lens
import Services
import SimulationTesting
import Testing

@Suite("Streaming: replies", .simulated(seeds: 1...3, configuration: .shortWaits))
struct ReplyFlowTests {
    @Test("text arrives while pictures go out")
    func concurrent() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        await session.sent.reaches { $0.contains(.frame([1])) }
        session.say(.text("A red "), .text("door."))
        await fixture.stream.latestResponse.reaches { $0 == "A red door." }
        fixture.camera.show(2)
        await session.sent.reaches { $0.contains(.frame([2])) }
        #expect(fixture.stream.state.value.isStreaming)
        await fixture.stream.stop()
    }

    @Test("chunks of a turn make one reply, and the next turn starts empty")
    func turns() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        session.say(.text("One"), .text(" two."), .turnComplete, .text("Three."), .turnComplete)
        await fixture.replies.entries.reaches { $0.contains(.ended("Three.", .complete)) }
        #expect(
            fixture.replies.entries.value == [
                .began, .grew("One"), .grew(" two."), .ended("One two.", .complete),
                .began, .grew("Three."), .ended("Three.", .complete),
            ]
        )
        await fixture.stream.stop()
    }

    @Test
    func `a turn that the model's side refuses is no whole reply, and says why until something is said`()
        async throws
    {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        let (stream, entries) = (fixture.stream, fixture.replies.entries)
        try await stream.start()
        session.say(.text("Well, "), .turnReason(.unsafeAnswer), .turnComplete)
        await stream.state.reaches { $0.refusal != nil }
        #expect(entries.value == [.began, .grew("Well, "), .ended("Well, ", .refused)])
        #expect(stream.state.value.refusal?.code == .rejected)
        #expect(stream.state.value.refusal?.detail == "unsafeAnswer")
        #expect(stream.state.value.isConnected)
        try await stream.say("And now?")
        #expect(stream.state.value.refusal == nil)
        session.say(.turnReason(.rejected), .turnComplete)
        await stream.state.reaches { $0.refusal?.detail == "rejected" }
        session.say(.text("A cup."), .turnReason(.needsMoreInput), .turnComplete)
        await entries.reaches { $0.last == .ended("A cup.", .complete) }
        #expect(stream.state.value.refusal == nil)
        session.say(.turnReason(.blocklist), .turnComplete)
        await stream.state.reaches { $0.refusal != nil }
        await stream.stop()
        #expect(stream.state.value.refusal == nil)
    }

    @Test(
        "LENS-112 LENS-113 events without text change nothing, unreadable ones are counted, and the session goes on"
    )
    func textless() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        session.say(
            .other,
            .usage(TokenUsage(prompt: 1, answer: 2)),
            .audio(LiveAudio(pcm: [0, 0], sampleRate: 24_000)),
            .thought("hm"),
            .generationComplete,
            .turnComplete,
            .interrupted,
            .text("")
        )
        session.say(.unreadable(detail: "{"), .text("Still here."), .turnComplete)
        await fixture.replies.entries.reaches { $0.contains(.ended("Still here.", .complete)) }
        #expect(fixture.replies.entries.value.first == .began)
        #expect(fixture.replies.entries.value.count == 3)
        #expect(fixture.stream.latestResponse.value == "Still here.")
        #expect(fixture.stream.statistics.value.unreadableMessages == 1)
        #expect(fixture.stream.state.value.isConnected)
        await fixture.stream.stop()
    }

    @Test("an interrupted turn ends as such, and a reply torn off by the stop ends too")
    func interrupted() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        session.say(.text("I see a"), .interrupted, .turnComplete, .text("Two birds"))
        await fixture.replies.entries.reaches { $0.last == .grew("Two birds") }
        await fixture.stream.stop()
        #expect(
            fixture.replies.entries.value == [
                .began, .grew("I see a"), .interrupted, .ended("I see a", .interrupted),
                .began, .grew("Two birds"), .ended("Two birds", .cutOff), .streamEnded,
            ]
        )
    }

    @Test("a reply without end is cut at its limit, and the next turn is whole again")
    func endless() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(ScriptedModel(sessions: [session]))
        try await fixture.stream.start()
        let block = String(repeating: "x", count: 65_536)
        for _ in 0..<10 { session.say(.text(block)) }
        session.say(.turnComplete, .text("Short."), .turnComplete)
        await fixture.replies.entries.reaches { $0.contains(.ended("Short.", .complete)) }
        #expect(fixture.replies.entries.value.contains(.ended(String(repeating: block, count: 4), .tooLong)))
        await fixture.stream.stop()
    }

    @Test("the model is asked once a picture has gone out, and again after each finished reply")
    func commentary() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(
            ScriptedModel(sessions: [session]),
            commentary: CommentaryPolicy(
                instructions: "Be brief.",
                opening: "Begin.",
                openingWait: .seconds(60),
                followUp: "And now?",
                pause: .zero
            )
        )
        fixture.camera.hide()
        try await fixture.stream.start()
        await fixture.stream.statistics.reaches { $0.dropped[.noFrame, default: 0] >= 3 }
        #expect(session.texts.isEmpty)
        fixture.camera.show(1)
        await session.sent.reaches { $0.contains(.text("Begin.")) }
        #expect(session.sent.value == [.frame([1]), .text("Begin.")])
        session.say(.text("A wall."), .turnComplete)
        await session.sent.reaches { $0.last == .text("And now?") }
        #expect(session.texts == ["Begin.", "And now?"])
        #expect(fixture.model.configurations.map(\.instructions) == ["Be brief."])
        await fixture.stream.stop()
    }

    @Test("a model that stays silent is asked again")
    func patience() async throws {
        let session = ScriptedSession()
        let fixture = StreamFixture(
            ScriptedModel(sessions: [session]),
            commentary: CommentaryPolicy(
                opening: "Begin.",
                followUp: "And now?",
                pause: .zero,
                patience: .milliseconds(5)
            )
        )
        try await fixture.stream.start()
        await session.sent.reaches { $0.filter { $0 == .text("And now?") }.count >= 2 }
        await fixture.stream.stop()
    }
}
