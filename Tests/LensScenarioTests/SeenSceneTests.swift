import AppKernel
import Concurrency
import FakeCamera
import Foundation
import GeminiServer
import JPEG
import Lens
import LensScenarios
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import Simulation
import SimulationTesting
import Synchronization
import Testing

/// From the camera to the voice: what the assistant says is what the scene's script says of the pictures that it was sent.
@Suite("The assistant sees the drawn scene", .simulated(seeds: 1...12))
struct SeenSceneTests {
    /// An assistant that keeps which picture it saw at each turn.
    private final class NotedAssistant: GeminiBrain {
        let mayBlock = false
        private let base = AssistantBrain()
        private let kept = Mutex<[GeminiTurn]>([])
        var turns: [GeminiTurn] { kept.withLock { $0 } }

        func reply(to turn: GeminiTurn) -> GeminiReply {
            kept.withLock { $0.append(turn) }
            return base.reply(to: turn)
        }
    }

    /// What has to be said of a frame, by the script alone: described when there is none before, else what has changed.
    private func expected(_ camera: FakeCamera, _ scene: DrawnScene, _ number: Int, after before: Int?)
        -> String
    {
        let now = camera.happenings(at: number)
        guard let before else {
            let time = camera.frame(number).timestamp
            let clock = scene.clock(at: time).map { ["The clock shows \($0)."] } ?? []
            return (["I see \(scene.outline)."] + now.map { scene.words(for: $0).present } + clock)
                .joined(separator: " ")
        }
        let earlier = camera.happenings(at: before)
        let changes = scene.possible.compactMap { happening -> String? in
            switch (earlier.contains(happening), now.contains(happening)) {
            case (false, true): scene.words(for: happening).begun
            case (true, false): scene.words(for: happening).ended
            default: nil
            }
        }
        return changes.isEmpty ? "Nothing has changed." : changes.joined(separator: " ")
    }

    @Test("what is answered about a recorded video is what has happened before the camera meanwhile")
    @MainActor
    func cameraToAnalysis() async throws {
        let assistant = NotedAssistant()
        var options = LensOptions()
        options.scene = .room
        options.script = GeminiScript(brain: assistant)
        let world = try await LensWorld.start(options)
        let screens = try await world.onPhone { lens in await lens.makeScreens() }
        screens.appear()
        try await world.onPhone { lens in
            try await lens.camera.connect()
            try await lens.startRecording()
        }
        try await Task.sleep(for: .seconds(40))
        try await world.onPhone { _ = await $0.stopRecording() }
        let video = try #require(world.lens.gallery.content.value.items.first { $0.kind == .video }?.id)
        await screens.gallery.send(.analyse(video))
        for await state in screens.analysis.states.values()
        where state.phase == .idle && (state.alert != nil || !state.answer.isEmpty) { break }

        let turn = try #require(assistant.turns.first { $0.prompt.contains(VideoAnalysis.firstQuestion) })
        let numbers = try #require(turn.contents.last).parts.compactMap { part -> Int? in
            if case .picture(let inspection, _, _) = part { inspection.number.map { Int($0) } } else { nil }
        }
        #expect(numbers.count == screens.analysis.state.pictures && numbers == numbers.sorted())
        let seed = Simulation.current?.seed ?? 0
        let script = FakeCamera(
            .init(size: options.size, framesPerSecond: options.cameraRate, scene: .room, seed: seed)
        )
        let drawn = DrawnScene(.room, seed: seed)
        let changes = zip(numbers, numbers.dropFirst())
            .map { expected(script, drawn, $1, after: $0) }
            .filter { $0 != "Nothing has changed." }
        let first = expected(script, drawn, try #require(numbers.first), after: nil)
        let story = ([first] + (changes.isEmpty ? ["Nothing has changed."] : changes)).joined(separator: " ")
        #expect(screens.analysis.state.answer == story && screens.analysis.state.alert == nil)
        screens.disappear()
        try await world.shutdown()
    }

    @Test(
        "what is spoken and kept is what happens before the camera, also after it was exchanged",
        arguments: [CameraSourceType.local, .veepaWiFi]
    )
    func cameraToVoice(source: CameraSourceType) async throws {
        let assistant = NotedAssistant()
        var options = LensOptions()
        options.scene = .room
        options.script = GeminiScript(brain: assistant)
        let world = try await LensWorld.start(options)
        let (place, scene) =
            source == .local ? (DrawnScene.Place.room, FakeCamera.Scene.room) : (.frontDoor, .frontDoor)
        try await world.onPhone { lens in
            try await lens.camera.switchTo(source)
            try await lens.startStreaming()
        }
        try await Task.sleep(for: .seconds(45))
        try await world.onPhone { await $0.stopStreaming() }

        let seed = Simulation.current?.seed ?? 0
        let script = FakeCamera(
            .init(size: options.size, framesPerSecond: options.cameraRate, scene: scene, seed: seed)
        )
        let drawn = DrawnScene(place, seed: seed)
        var answers: [String] = []
        for turn in assistant.turns where turn.lastFrame != nil {
            let number = try #require(turn.lastFrame?.number)
            let before = turn.frameBefore?.number
            answers.append(expected(script, drawn, number, after: before))
        }
        #expect(answers.count > 3)
        #expect(Set(answers).count > 2, "something happens in 45 seconds: \(answers)")

        // Kept: every answer, in order; the last may have been cut off by the end.
        let kept = world.lens.conversation.content.value.messages.compactMap { message in
            if message.role == .assistant, case .text(let text) = message.content { text } else { nil }
        }
        let seen = Array(kept.drop { !$0.hasPrefix("I see ") })
        #expect(seen.count >= answers.count - 1)
        for (answer, text) in zip(answers.dropLast(), seen) { #expect(text == answer) }

        // Spoken: sentences of the answers, in their order.
        let said = world.speech.utterances.filter { !$0.wasCutOff }.map(\.text)
        #expect(!said.isEmpty)
        var rest = answers.joined(separator: " ")[...]
        for sentence in said.drop(while: { !$0.hasPrefix("I see ") }) {
            guard let place = rest.range(of: sentence) else {
                Issue.record("“\(sentence)” is not said of these pictures: \(answers)")
                break
            }
            rest = rest[place.upperBound...]
        }
        try await world.shutdown()
    }
}
