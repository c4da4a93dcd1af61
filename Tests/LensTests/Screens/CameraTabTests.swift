import AppKernel
import Concurrency
import Foundation
import JPEG
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Testing

@Suite("The camera's tab", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct CameraTabTests {
    private func shown(
        _ sessions: [ScriptedSession] = [],
        adjust: (inout LensEnvironment) -> Void = { _ in }
    ) async throws -> (AppFixture, LensScreens) {
        let fixture = try AppFixture(sessions: sessions, adjust: adjust)
        _ = await fixture.app.launch()
        fixture.local.show(Movie.frame(0))
        fixture.wireless.show(Movie.frame(100))
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.camera.states.reaches { $0.connection == .connected }
        return (fixture, screens)
    }

    @Test(
        "LENS-015 the same actions work with each camera, and reach that one alone",
        arguments: CameraSourceType.allCases
    )
    func sources(source: CameraSourceType) async throws {
        let (fixture, screens) = try await shown()
        await screens.camera.send(.choose(source))
        let (active, other) =
            source == .local ? (fixture.local, fixture.wireless) : (fixture.wireless, fixture.local)
        let before = other.calls.value
        await screens.camera.send(.setZoom(3))
        await screens.camera.send(.focus(x: 0.5, y: 0.5))
        #expect(active.calls.value.suffix(2).map { $0.prefix(5) } == ["zoom(", "focus"])
        #expect(screens.camera.state.zoomLevel == 3 && screens.camera.state.focus != nil)
        await screens.camera.send(.capturePhoto)
        let photo = try #require(screens.camera.state.lastPhoto)
        let number = source == .local ? 0 : 100
        #expect(try await fixture.app.file(ofPhoto: photo) == Movie.jpeg(number))
        await screens.camera.send(.startRecording)
        #expect(screens.camera.state.isRecording)
        await screens.camera.send(.stopRecording)
        let video = try #require(screens.camera.state.lastVideo)
        let name = MediaLibrary.fileName(of: video, kind: .video)
        #expect(try Movie.numbers(name, in: fixture.documents) == [number])
        #expect(other.calls.value == before && screens.camera.state.alert == nil)
        screens.disappear()
        await fixture.app.shutdown()
    }

    @Test("LENS-019 the tab changes the camera both ways, and starts and stops the stream")
    func tab() async throws {
        let session = ScriptedSession()
        let (fixture, screens) = try await shown([session])
        #expect(
            screens.camera.state.source == .local && screens.camera.state.sources == [.local, .veepaWiFi]
        )
        await screens.camera.send(.choose(.veepaWiFi))
        #expect(screens.camera.state.source == .veepaWiFi && screens.camera.state.connection == .connected)
        #expect(
            fixture.wireless.calls.value.last == "connected" && fixture.local.calls.value.last == "disconnect"
        )
        await screens.camera.send(.choose(.local))
        #expect(screens.camera.state.source == .local && screens.camera.state.connection == .connected)
        #expect(
            fixture.local.calls.value.last == "connected" && fixture.wireless.calls.value.last == "disconnect"
        )
        await screens.stream.send(.start)
        #expect(screens.stream.state.isStreaming && screens.stream.state.isConnected)
        await screens.stream.send(.stop)
        #expect(!screens.stream.state.isStreaming && !screens.stream.state.isConnected)
        screens.disappear()
        await fixture.app.shutdown()
    }

    @Test("LENS-208 recording, zoom, messages, streaming and settings are published by their screens")
    func screenPublishers() async throws {
        let session = ScriptedSession()
        let (fixture, screens) = try await shown([session])
        for screen in screens.all { screen.appear() }
        try await Task.sleep(for: .seconds(1))
        let recording = Task { await Self.changes(screens.camera.states.values(), 3) { $0.isRecording } }
        let zoom = Task { await Self.changes(screens.camera.states.values(), 2) { $0.zoomLevel } }
        let messages = Task { await Self.changes(screens.chat.states.values(), 2) { $0.messages.count } }
        let streaming = Task { await Self.changes(screens.chat.states.values(), 3) { $0.isStreaming } }
        let rates = Task {
            await Self.changes(screens.settings.states.values(), 2) { $0.settings.framesPerSecond }
        }
        try await Task.sleep(for: .seconds(1))
        await screens.camera.send(.startRecording)
        await screens.camera.send(.stopRecording)
        await screens.camera.send(.setZoom(2))
        await screens.settings.send(.setFrameRate(7))
        let app = fixture.app
        await app.conversation.replyBegan()
        await app.conversation.replyGrew(by: "Hello")
        await screens.chat.states.reaches { $0.isStreaming }
        await app.conversation.replyEnded(FinishedReply(text: "Hello", ending: .complete))
        #expect(await recording.value == [false, true, false])
        #expect(await zoom.value == [1, 2])
        #expect(await messages.value == [0, 1])
        #expect(await streaming.value == [false, true, false])
        #expect(await rates.value == [5, 7])
        screens.disappear()
        await app.shutdown()
    }

    @Test(
        "LENS-211 indicator, slider, list, input and toggles are fields of the screens' states, as the page reads them"
    )
    func views() async throws {
        let (fixture, screens) = try await shown()
        for screen in screens.all { screen.appear() }
        func json<S: Encodable>(_ state: S) throws -> [String: Any] {
            try #require(
                try JSONSerialization.jsonObject(with: JSONEncoder().encode(state)) as? [String: Any]
            )
        }
        await screens.camera.send(.startRecording)
        await screens.camera.send(.setZoom(2.5))
        await screens.chat.send(.setInput("What is that?"))
        await fixture.app.conversation.append(ChatMessage(role: .user, content: .text("Hello")))
        await screens.chat.states.reaches { $0.messages.count == 1 }
        for isOn in [true, false] {
            await screens.settings.send(.setAutoUpload(isOn))
            await screens.settings.send(.setSpeech(!isOn))
            await screens.settings.send(.setResolution(isOn ? .vga : .hd720))
            let settings = try #require(json(screens.settings.state)["settings"] as? [String: Any])
            #expect(settings["autoUpload"] as? Bool == isOn && settings["speechEnabled"] as? Bool == !isOn)
            #expect(settings["videoResolution"] as? String == (isOn ? "vga" : "hd720"))
        }
        let camera = try json(screens.camera.state)
        #expect(camera["isRecording"] as? Bool == true && camera["zoomLevel"] as? Double == 2.5)
        let chat = try json(screens.chat.state)
        #expect((chat["messages"] as? [[String: Any]])?.map { $0["text"] as? String } == ["Hello"])
        #expect(chat["inputText"] as? String == "What is that?")
        await screens.camera.send(.stopRecording)
        #expect(try json(screens.camera.state)["isRecording"] as? Bool == false)
        screens.disappear()
        await fixture.app.shutdown()
    }

    /// The first values that differ from those before them.
    nonisolated private static func changes<State: Sendable, Value: Equatable & Sendable>(
        _ states: AsyncStream<State>,
        _ count: Int,
        _ value: @Sendable (State) -> Value
    ) async -> [Value] {
        var changes: [Value] = []
        for await state in states {
            if changes.last != value(state) { changes.append(value(state)) }
            if changes.count == count { break }
        }
        return changes
    }
}
