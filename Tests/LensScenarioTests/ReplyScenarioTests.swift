import AppKernel
import Concurrency
import GeminiServer
import Lens
import LensScenarios
import LensScreens
import ScenarioKit
import ScreenKit
import Services
import SimulatedDevice
import SimulatedTransport
import SimulationTesting
import Testing

/// Says one text, cut into pieces of random length.
private struct FixedBrain: GeminiBrain {
    var text: String

    func reply(to turn: GeminiTurn) -> GeminiReply {
        var rest = text[...]
        var chunks: [GeminiReply.Chunk] = []
        while !rest.isEmpty {
            let piece = rest.prefix(.random(in: 1...9))
            rest = rest.dropFirst(piece.count)
            chunks.append(.init([String(piece)], after: .milliseconds(.random(in: 1...300))))
        }
        return GeminiReply(chunks)
    }
}

@Suite("Replies in the whole world", .simulated(seeds: 1...12))
struct ReplyScenarioTests {
    private static let text =
        "It shows v2.0 of a sign, e.g. a lamp. Is it 3.14 metres high? See https://a.example/x.y for more! Bye"
    private static let sentences = [
        "It shows v2.0 of a sign, e.g. a lamp.", "Is it 3.14 metres high?",
        "See https://a.example/x.y for more!", "Bye",
    ]

    private func start(_ change: (inout LensOptions) -> Void = { _ in }) async throws -> LensWorld {
        var options = LensOptions()
        options.script = GeminiScript(brain: FixedBrain(text: Self.text))
        change(&options)
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        return world
    }

    private func answers(_ world: LensWorld) -> [String] {
        world.lens.conversation.content.value.messages.compactMap { message in
            guard message.role == .assistant, case .text(let text) = message.content else { return nil }
            return text
        }
    }

    @Test("LENS-108 LENS-109 LENS-110 replies grow while frames go out, and end as one message each")
    func replies() async throws {
        let world = try await start {
            $0.cameraRate = 60
            $0.link = LinkConditions(latency: .constant(.milliseconds(1)))
        }
        let before = world.lens.stream.statistics.value.framesSent
        var partial = ""
        var waited = 0
        while partial.isEmpty {
            try await Task.sleep(for: .milliseconds(50))
            waited += 1
            partial = world.lens.stream.latestResponse.value
        }
        #expect(Self.text.hasPrefix(partial))
        #expect(world.lens.stream.state.value.isStreaming)
        var latest: Set<String> = []
        for _ in 0..<800 {
            try await Task.sleep(for: .milliseconds(50))
            latest.insert(world.lens.stream.latestResponse.value)
        }
        #expect(latest.count > 10 && latest.contains(Self.text))
        #expect(latest.allSatisfy(Self.text.hasPrefix))
        let answers = answers(world)
        #expect(answers.count >= 2)
        #expect(answers.allSatisfy { $0 == Self.text })
        #expect(answers.count <= world.gemini.record.sessions.flatMap(\.replies).count)
        // Answers came all the time, and cost no picture.
        let statistics = world.lens.stream.statistics.value
        #expect(abs(statistics.framesSent - before - (200 + waited / 4)) <= 2)
        #expect(statistics.dropped[.overrun] == nil)
    }

    @Test("LENS-111 the chat shows the reply while it grows")
    func chat() async throws {
        let world = try await start()
        let shown = try await world.onPhone { lens in
            let chat = await ChatScreen(lens)
            await chat.appear()
            var seen: [String] = []
            for _ in 0..<100 {
                try await Task.sleep(for: .milliseconds(100))
                seen.append(chat.state.streamingResponse)
            }
            return seen
        }
        let growing = shown.filter { !$0.isEmpty && $0 != Self.text }
        #expect(growing.count > 2)
        #expect(growing.allSatisfy { Self.text.hasPrefix($0) })
    }

    @Test(
        "LENS-117 sentences are spoken once and in order, however the text comes; a new reply clears the rest"
    )
    func spoken() async throws {
        let world = try await start()
        try await Task.sleep(for: .seconds(60))
        let spoken = world.speech.utterances.map { Self.sentences.firstIndex(of: $0.text) }
        #expect(spoken.prefix(3) == [0, 1, 2])
        #expect(!spoken.contains(nil))
        for (one, next) in zip(spoken.compactMap(\.self), spoken.compactMap(\.self).dropFirst()) {
            #expect(next == one + 1 || next == 0)
        }
        #expect(world.speech.overlaps == 0)
    }

    @Test("LENS-119 what stands last without a full stop is spoken when the reply is complete")
    func trailing() async throws {
        let world = try await start {
            $0.script = GeminiScript(brain: FixedBrain(text: "One. Two! And so on"))
        }
        try await Task.sleep(for: .seconds(8))
        #expect(world.speech.utterances.prefix(3).map(\.text) == ["One.", "Two!", "And so on"])
    }

    @Test("LENS-116 the first sentence is spoken before the reply has ended")
    func spokenEarly() async throws {
        let world = try await start()
        while world.speech.utterances.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        #expect(answers(world).isEmpty)
    }

    @Test func `with speech off nothing is spoken, and the text is kept`() async throws {
        let world = try await LensWorld.start()
        world.lens.settings.update { $0.speechEnabled = false }
        try await world.onPhone { try await $0.startStreaming() }
        try await Task.sleep(for: .seconds(20))
        #expect(world.speech.utterances.isEmpty)
        #expect(!answers(world).isEmpty)
    }

    @Test("stopping the stream clears what was not spoken yet")
    func stopClears() async throws {
        let world = try await start()
        while world.speech.utterances.isEmpty { try await Task.sleep(for: .milliseconds(20)) }
        try await world.onPhone { await $0.stopStreaming() }
        try await Task.sleep(for: .seconds(60))
        #expect(world.speech.utterances.count <= 2)
    }

    @Test("LENS-113 malformed messages are counted, and the session goes on")
    func malformed() async throws {
        let world = try await start()
        try await Task.sleep(for: .seconds(2))
        world.base.arm("gemini.live.malformed", atMost: 1)
        try await Task.sleep(for: .seconds(30))
        #expect(world.lens.stream.statistics.value.unreadableMessages == 1)
        #expect(world.gemini.record.sessions.count == 1)
        #expect(answers(world).contains(Self.text))
    }

    @Test("LENS-150 the history survives a kill of the app, with order and identities")
    func history() async throws {
        let world = try await start { $0.keepsDatabase = true }
        try await Task.sleep(for: .seconds(40))
        let before = world.lens.conversation.content.value.messages
        #expect(before.count >= 2)
        try await world.restartPhone()
        let after = world.lens.conversation.content.value.messages
        #expect(after.map(\.id).starts(with: before.map(\.id)))
        #expect(after.prefix(before.count).map(\.content) == before.map(\.content))
    }
}
