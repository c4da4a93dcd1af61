import AppKernel
import Concurrency
import Lens
import Services
import Simulation
import Testing

@Suite("Streaming: questions in time")
struct QuestionTimeTests {
    @Test func `a question waits for the end of a reply that has begun in the pause`() throws {
        let session = ScriptedSession()
        try Simulation(seed: 1).run {
            let stream = Self.commented([session], ReplyLog())
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            session.say(.text("A cup."), .turnComplete)
            try await Task.sleep(for: .seconds(1))
            session.say(.text("Wait, "))
            try await Task.sleep(for: .seconds(10))
            #expect(session.texts == ["What is it?"])
            session.say(.text("a glass."), .turnComplete)
            try await Task.sleep(for: .seconds(3))
            #expect(session.texts == ["What is it?", "And now?"])
            await stream.stop()
        }
    }

    /// A stream that asks again two seconds after every answer.
    private static func commented(
        _ sessions: [ScriptedSession],
        _ replies: ReplyLog,
        followUp: String? = "And now?",
        patience: Duration = .seconds(60)
    ) -> StreamingSession {
        StreamingSession(
            model: ScriptedModel(sessions: sessions),
            encoder: PassingEncoder(),
            policy: StreamingPolicy(
                model: "test-model",
                commentary: CommentaryPolicy(
                    opening: "What is it?",
                    openingWait: .zero,
                    followUp: followUp,
                    pause: .seconds(2),
                    patience: patience
                )
            ),
            listeners: [replies],
            framesPerSecond: { 1 },
            latestFrame: { nil }
        )
    }

    @Test func `the user's question is not interrupted by the app's own, however long the model thinks`()
        throws
    {
        let session = ScriptedSession()
        try Simulation(seed: 1).run {
            let stream = Self.commented([session], ReplyLog())
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            session.say(.text("A cup."), .turnComplete)
            // In the pause.
            try await Task.sleep(for: .milliseconds(1900))
            try await stream.say("Is it red?")
            try await Task.sleep(for: .seconds(20))
            #expect(session.texts == ["What is it?", "Is it red?"])
            session.say(.text("Yes"))
            try await Task.sleep(for: .seconds(1))
            // In a reply, whose end comes before the answer.
            try await stream.say("And large?")
            session.say(.interrupted, .turnComplete)
            try await Task.sleep(for: .seconds(20))
            #expect(session.texts == ["What is it?", "Is it red?", "And large?"])
            session.say(.text("No."), .turnComplete)
            try await Task.sleep(for: .milliseconds(1900))
            #expect(session.texts.count == 3)
            try await Task.sleep(for: .milliseconds(200))
            #expect(session.texts.last == "And now?")
            await stream.stop()
        }
    }

    @Test func `the app's question keeps its pause behind an answer to the user's`() throws {
        let session = ScriptedSession()
        try Simulation(seed: 1).run {
            let stream = Self.commented([session], ReplyLog())
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            session.say(.text("A cup."), .turnComplete)
            try await Task.sleep(for: .seconds(1))
            try await stream.say("Is it red?")
            session.say(.text("Yes."), .turnComplete)
            try await Task.sleep(for: .milliseconds(1900))
            #expect(session.texts == ["What is it?", "Is it red?"])
            try await Task.sleep(for: .milliseconds(200))
            #expect(session.texts == ["What is it?", "Is it red?", "And now?"])
            await stream.stop()
        }
    }

    @Test func `an announced close waits for the answer to a question that interrupted a reply`() throws {
        let sessions = [ScriptedSession(), ScriptedSession()]
        let replies = ReplyLog()
        try Simulation(seed: 1).run {
            let stream = Self.commented(sessions, replies)
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            sessions[0].say(.text("A c"), .goingAway(timeLeft: .seconds(60)))
            try await Task.sleep(for: .seconds(1))
            try await stream.say("Is it red?")
            sessions[0].say(.interrupted, .turnComplete, .resumable(handle: "h"))
            try await Task.sleep(for: .seconds(20))
            #expect(sessions[0].closes.value == 0)
            sessions[0].say(.text("Yes."), .turnComplete, .resumable(handle: "i"))
            try await Task.sleep(for: .seconds(1))
            #expect(sessions[0].closes.value == 1)
            #expect(replies.entries.value.contains(.ended("Yes.", .complete)))
            await stream.stop()
        }
    }

    @Test("a reply whose end could not be read is cut off after the patience, and the model is asked again")
    func lostEnd() throws {
        let session = ScriptedSession()
        let replies = ReplyLog()
        try Simulation(seed: 1).run {
            let stream = Self.commented([session], replies, patience: .seconds(30))
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            session.say(.text("A cup."), .unreadable(detail: "the end of the turn"))
            try await Task.sleep(for: .seconds(29))
            #expect(session.texts == ["What is it?"])
            #expect(replies.entries.value == [.began, .grew("A cup.")])
            try await Task.sleep(for: .seconds(32))
            #expect(session.texts == ["What is it?", "And now?"])
            #expect(replies.entries.value == [.began, .grew("A cup."), .ended("A cup.", .cutOff)])
            session.say(.text("A glass."), .turnComplete)
            try await Task.sleep(for: .seconds(1))
            #expect(replies.entries.value.last == .ended("A glass.", .complete))
            await stream.stop()
        }
    }

    @Test func `a reply that stands still on a session that is about to end stays one reply`() throws {
        let sessions = [ScriptedSession(), ScriptedSession()]
        let replies = ReplyLog()
        try Simulation(seed: 1).run {
            let stream = Self.commented(sessions, replies)
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            sessions[0].say(.text("A c"), .goingAway(timeLeft: .seconds(200)))
            // Longer than the patience.
            try await Task.sleep(for: .seconds(130))
            #expect(replies.entries.value == [.began, .grew("A c")])
            sessions[0].say(.text("up."), .turnComplete, .resumable(handle: "h"))
            try await Task.sleep(for: .seconds(1))
            #expect(replies.entries.value.contains(.ended("A cup.", .complete)))
            #expect(sessions[0].texts == ["What is it?"] && sessions[0].closes.value == 1)
            await stream.stop()
        }
    }

    @Test func `an announced close waits for the answer to a question that is on its way`() throws {
        let sessions = [ScriptedSession(), ScriptedSession()]
        let replies = ReplyLog()
        try Simulation(seed: 1).run {
            let stream = Self.commented(sessions, replies, followUp: nil)
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            #expect(sessions[0].texts == ["What is it?"])
            sessions[0].say(.goingAway(timeLeft: .seconds(60)))
            try await Task.sleep(for: .seconds(5))
            #expect(sessions[0].closes.value == 0)
            sessions[0].say(.text("A cup."), .turnComplete, .resumable(handle: "h"))
            try await Task.sleep(for: .seconds(1))
            #expect(sessions[0].closes.value == 1)
            #expect(replies.entries.value.contains(.ended("A cup.", .complete)))
            await stream.stop()
        }
    }
}
