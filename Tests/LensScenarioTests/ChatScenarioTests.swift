import AppKernel
import Exploration
import GeminiServer
import Lens
import LensScenarios
import PeerKit
import ScenarioKit
import Services
import Simulation
import SimulationTesting
import Synchronization
import Testing

@Suite("Chats in a world")
struct ChatScenarioTests {
    @Test(
        "what was shown of a chat survives broken answers, kills and power cuts",
        arguments: [nil, "swarm"]
    )
    func chats(plan: String?) {
        let program = LensChat().program
        var reached: Set<String> = []
        for seed in 1...40 as ClosedRange<UInt64> {
            let run = program.run(Recipe(seed: seed, strategy: .portfolio, plan: plan))
            #expect(run.failure == nil, "seed \(seed): \(run.failure?.message ?? "")")
            reached.formUnion(run.report?.checks.filter { $0.hits > 0 }.map(\.name) ?? [])
        }
        #expect(reached.isSuperset(of: LensChat.expects), "\(Set(LensChat.expects).subtracting(reached))")
    }

    @Test func `on a disk that ignores syncs messages that were shown are lost, and the scenario says so`() {
        let program = LensChat().program
        let lie =
            "{version: 1, disks: [{node: phone, faults: {ignored sync: 1, lost write: 0.5, torn write: 0.2}}]}"
        let failures = (1...12 as ClosedRange<UInt64>).compactMap { seed in
            program.run(Recipe(seed: seed, strategy: .portfolio, plan: lie)).failure?.message
        }
        #expect(
            failures.contains { $0.contains("a message that was shown is in the history") },
            "\(failures)"
        )
    }

    @Test(
        "LENS-127 the service gets the conversation in order, user and model by turns, and the new text once",
        .simulated(seeds: 1...10)
    )
    func wire() async throws {
        let brain = KeepingBrain()
        var options = LensOptions()
        options.script.brain = brain
        let world = try await LensWorld.start(options)
        for question in ["What is red?", "What is blue?", "What is red?"] {
            try await world.onPhone { try await $0.say(question) }
            while world.lens.chat.state.value.isAnswering { try await Task.sleep(for: .milliseconds(100)) }
        }
        let sent = brain.contents.map { contents in contents.map { "\($0.role.rawValue): \($0.text)" } }
        let answers = world.lens.conversation.content.value.messages.filter { $0.role == .assistant }.map {
            if case .text(let text) = $0.content { "model: \(text)" } else { "nothing" }
        }
        try #require(answers.count == 3)
        #expect(
            sent == [
                ["user: What is red?"], ["user: What is red?", answers[0], "user: What is blue?"],
                ["user: What is red?", answers[0], "user: What is blue?", answers[1], "user: What is red?"],
            ]
        )
        try await world.shutdown()
    }

    @Test(
        "LENS-140 the service gets a picture as image/jpeg, behind its words and what was said before",
        .simulated(seeds: 1...10)
    )
    func picture() async throws {
        let frames = try PreparedFrames.make(size: PixelSize(width: 320, height: 180))
        let brain = KeepingBrain()
        var options = LensOptions()
        options.script.brain = brain
        let world = try await LensWorld.start(options)
        for draft in [ChatDraft("Hello?"), ChatDraft("What is it?", picture: frames.files[3])] {
            try await world.onPhone { try await $0.chat.send(draft) }
            while world.lens.chat.state.value.isAnswering { try await Task.sleep(for: .milliseconds(100)) }
        }
        let answer = "Answer to Hello?"
        let contents = try #require(brain.contents.last)
        #expect(contents.map(\.role) == [.user, .model, .user])
        #expect(contents.dropLast().map(\.text) == ["Hello?", answer])
        let parts = try #require(contents.last?.parts)
        try #require(parts.count == 2)
        #expect(parts[0] == .text("What is it?"))
        guard case .picture(let inspection, let byteCount, nil) = parts[1] else {
            Issue.record("\(parts[1])")
            return
        }
        #expect(byteCount == frames.files[3].count && inspection.number == 3)
        let body = try #require(world.gemini.record.exchanges.last?.body)
        let sent = body["contents"]?.array?.last?["parts"]?.array?.last
        #expect(sent?["inlineData"]?["mimeType"]?.string == "image/jpeg")
        try await world.shutdown()
    }
}

/// Answers at once, and keeps what it was given of each conversation.
private final class KeepingBrain: GeminiBrain {
    private let kept = Mutex<[[GeminiContent]]>([])

    var contents: [[GeminiContent]] { kept.withLock { $0 } }

    func reply(to turn: GeminiTurn) -> GeminiReply {
        kept.withLock { $0.append(turn.contents) }
        return GeminiReply([.init(["Answer to "]), .init([turn.prompt])])
    }
}
