import AppKernel
import Concurrency
import Exploration
import GeminiServer
import Lens
import LensScenarios
import PeerKit
import QuickTime
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

    @Test(
        "LENS-144 of a video the service gets pictures of all its parts, which it reads, behind the words; later ones within the budget",
        .simulated(seeds: 1...5)
    )
    func video() async throws {
        let frames = try PreparedFrames.make(size: PixelSize(width: 320, height: 180))
        let brain = KeepingBrain()
        var options = LensOptions()
        options.script.brain = brain
        let world = try await LensWorld.start(options)
        // Sixteen pictures in eight seconds; each shows its number.
        var writer = MovieWriter(size: PixelSize(width: 320, height: 180))
        var movie = [writer.begin()]
        for (number, jpeg) in frames.files.enumerated() {
            movie.append(try writer.add(jpeg, at: .milliseconds(500 * number)))
        }
        movie.append(writer.finish(at: .seconds(8)))
        let pieces = AsyncStream { [movie] coming in
            for piece in movie where !piece.isEmpty { coming.yield(piece) }
            coming.finish()
        }
        try await world.onPhone { lens in
            let clip = try await lens.clips.take(pieces)
            try await lens.say(ChatDraft("What happens?", video: lens.clips.url(of: clip)))
        }
        while world.lens.chat.state.value.isAnswering { try await Task.sleep(for: .milliseconds(100)) }
        try await world.onPhone { try await $0.say("And then?") }
        while world.lens.chat.state.value.isAnswering { try await Task.sleep(for: .milliseconds(100)) }
        try #require(brain.contents.count == 2)
        let parts = try #require(brain.contents[0].last?.parts)
        let numbers = [0, 2, 4, 5, 7, 8, 10, 12, 13, 15]
        #expect(Self.numbers(parts) == numbers)
        let times = numbers.map { "\($0 / 2).\($0 % 2 * 5)" }.joined(separator: ", ")
        #expect(
            parts.prefix(2) == [
                .text("What happens?"),
                .text("(A video. Its pictures, in order, are seen at these seconds: \(times).)"),
            ]
        )
        let body = try #require(world.gemini.record.exchanges.first?.body)
        let sent = (body["contents"]?.array?.last?["parts"]?.array ?? []).compactMap { $0["inlineData"] }
        #expect(sent.count == 10 && sent.allSatisfy { $0["mimeType"]?.string == "image/jpeg" })
        #expect(sent.allSatisfy { ($0["data"]?.string?.utf8.count ?? .max) / 4 * 3 < 204_800 })
        #expect(Self.numbers(brain.contents[1].first?.parts ?? []) == [2, 5, 10, 13])
        try await world.shutdown()
    }

    /// The numbers that a decoder reads in the pictures among some parts.
    private static func numbers(_ parts: [GeminiPart]) -> [Int] {
        parts.compactMap { part in
            if case .picture(let inspection, _, _) = part { inspection.number } else { nil }
        }
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
