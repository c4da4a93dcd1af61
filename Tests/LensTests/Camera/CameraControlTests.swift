import AppKernel
import Concurrency
import Files
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("Controls of the camera", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct CameraControlTests {
    private func connected() async throws -> (AppFixture, CameraScreen) {
        let fixture = try AppFixture()
        try fixture.documents.create()
        let screen = CameraScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        return (fixture, screen)
    }

    @Test("LENS-020 a zoom that is changed is published by router and screen, and is 1 at first")
    func zoom() async throws {
        #expect(try AppFixture().app.camera.status.value.zoomLevel == 1)
        let (fixture, screen) = try await connected()
        var routed = fixture.app.camera.status.values().makeAsyncIterator()
        var shown = screen.states.values().makeAsyncIterator()
        #expect(CameraScreen.State().zoomLevel == 1)
        #expect(await routed.next()?.zoomLevel == 1)
        #expect(await shown.next()?.zoomLevel == 1)
        #expect(screen.state.zoomRange == 1...8)
        await screen.send(.setZoom(2.5))
        #expect(fixture.local.calls.value.last == "zoom(2.5)")
        #expect(await routed.next()?.zoomLevel == 2.5)
        while let state = await shown.next(), state.zoomLevel != 2.5 {}
        #expect(screen.state.zoomLevel == 2.5 && screen.state.alert == nil)
        // A new connection begins at 1, as its camera does.
        await screen.send(.choose(.veepaWiFi))
        #expect(screen.state.zoomLevel == 1)
    }

    @Test("LENS-021 a zoom beyond the camera's range is the nearest in it, and below 1 it is 1")
    func zoomRange() async throws {
        let (fixture, screen) = try await connected()
        let cases: [(asked: Double, given: Double)] = [
            (20, 8), (8, 8), (0.3, 1), (-5, 1), (3, 3), (.infinity, 8), (-.infinity, 1),
        ]
        for (asked, given) in cases {
            await screen.send(.setZoom(asked))
            #expect(fixture.local.calls.value.last == "zoom(\(given))")
            #expect(screen.state.zoomLevel == given)
        }
        await screen.send(.setZoom(3))
        await screen.send(.setZoom(.nan))
        #expect(screen.state.zoomLevel == 3 && screen.state.alert?.title == "The zoom was not changed")
        fixture.wireless.capabilities = CameraCapabilities()
        await screen.send(.choose(.veepaWiFi))
        await screen.send(.setZoom(4))
        #expect(screen.state.zoomLevel == 1 && screen.state.alert == nil)
        #expect(fixture.wireless.calls.value == ["connect", "connected"])
        await fixture.app.camera.turnOff()
        await #expect(throws: CameraError.deviceNotFound) { try await fixture.app.camera.setZoom(2) }
    }

    @Test("LENS-022 a point to focus on reaches the camera, and is shown for a moment")
    func focus() async throws {
        let (fixture, screen) = try await connected()
        #expect(screen.state.canFocus && screen.state.focus == nil)
        await screen.send(.focus(x: 0.25, y: 1))
        #expect(fixture.local.calls.value.last == "focus(Services.FocusPoint(x: 0.25, y: 1.0))")
        #expect(screen.state.focus == FocusPoint(x: 0.25, y: 1))
        try await Task.sleep(for: .milliseconds(700))
        await screen.send(.focus(x: 0, y: 0))
        try await Task.sleep(for: .milliseconds(700))
        #expect(screen.state.focus == FocusPoint(x: 0, y: 0))
        try await Task.sleep(for: .milliseconds(400))
        #expect(screen.state.focus == nil)
        for (x, y) in [(1.1, 0.5), (0.5, -0.1), (.nan, 0)] as [(Double, Double)] {
            let calls = fixture.local.calls.value
            await screen.send(.focus(x: x, y: y))
            #expect(screen.state.focus == nil && screen.state.alert?.title == "The camera did not focus")
            #expect(fixture.local.calls.value == calls)
        }
    }

    @Test("LENS-023 a picture size is kept in the settings, and the camera gives the next frames in it")
    func resolution() async throws {
        let sizes = CurrentValue<[PixelSize]>([])
        let fixture = try AppFixture { environment in
            environment.cameras[.local] = { size in
                sizes.update { $0.append(size) }
                let camera = ScriptedCamera()
                camera.show(Movie.frame(0, size: size))
                return camera
            }
        }
        _ = await fixture.app.launch()
        let screen = CameraScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        #expect(screen.state.resolution == .hd1080)
        #expect(await fixture.app.camera.latestFrame()?.size == VideoResolution.hd1080.size)
        await screen.send(.setResolution(.vga))
        #expect(screen.state.resolution == .vga)
        #expect(fixture.app.settings.current.value.videoResolution == .vga)
        let kept = SettingsStore(try SQLitePreferenceStore(fixture.database))
        #expect(kept.current.value.videoResolution == .vga)
        await sizes.reaches { $0 == [VideoResolution.hd1080.size, VideoResolution.vga.size] }
        try await Task.sleep(for: .seconds(1))
        #expect(await fixture.app.camera.latestFrame()?.size == VideoResolution.vga.size)
        // A recording keeps what it has; the next one has the new size.
        await screen.send(.startRecording)
        await screen.send(.setResolution(.hd720))
        try await Task.sleep(for: .seconds(1))
        #expect(sizes.value.count == 2 && screen.state.isRecording)
        await screen.send(.stopRecording)
        let first = try #require(screen.state.lastVideo)
        #expect(await fixture.app.videos.description(of: first)?.size == VideoResolution.vga.size)
        await sizes.reaches { $0.last == VideoResolution.hd720.size }
        try await Task.sleep(for: .seconds(1))
        await screen.send(.startRecording)
        await screen.send(.stopRecording)
        let second = try #require(screen.state.lastVideo)
        #expect(await fixture.app.videos.description(of: second)?.size == VideoResolution.hd720.size)
        await fixture.app.shutdown()
    }

    @Test(
        "LENS-054 a camera that goes by itself is shown as such at once, and the stream goes on without pictures"
    )
    func loss() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        _ = await fixture.app.launch()
        let (screen, stream) = (CameraScreen(fixture.app), StreamScreen(fixture.app))
        screen.appear()
        stream.appear()
        try await fixture.app.startStreaming()
        await screen.states.reaches { $0.connection == .connected }
        await stream.states.reaches { $0.framesSent > 0 }
        fixture.local.lose()
        await fixture.app.camera.status.reaches { $0.state == .failed && $0.error == .deviceNotFound }
        await screen.states.reaches { $0.connection == .failed && $0.alert?.title == "The camera was lost" }
        #expect(screen.state.alert?.text == "Camera not found." && screen.state.alert?.offersRetry == true)
        try await Task.sleep(for: .seconds(3))
        #expect(stream.state.isStreaming && stream.state.alert == nil)
        #expect(await fixture.app.camera.latestFrame() == nil)
        let sent = stream.state.framesSent
        await screen.send(.retry)
        #expect(screen.state.connection == .connected && screen.state.alert == nil)
        fixture.local.show(7)
        await stream.states.reaches { $0.framesSent > sent }
        // What was closed stays closed.
        fixture.local.lose()
        await screen.states.reaches { $0.alert != nil }
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil && screen.state.connection == .failed)
        await fixture.app.shutdown()
    }
}
