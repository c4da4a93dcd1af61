import AppKernel
import Concurrency
import Files
import Foundation
import Lens
import LensScreens
import ScreenKit
import Services
import SimulatedDevice
import SimulationTesting
import Testing

@Suite("Recording on the screen", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct RecordingScreenTests {
    private func shown() async throws -> (AppFixture, CameraScreen) {
        let fixture = try AppFixture()
        _ = await fixture.app.launch()
        fixture.local.show(Movie.frame(0))
        let screen = CameraScreen(fixture.app)
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        return (fixture, screen)
    }

    @Test("LENS-217 a camera screen begins without recording, loading or an error, at zoom 1")
    func beginning() throws {
        let fixture = try AppFixture()
        let screen = CameraScreen(fixture.app)
        for state in [screen.state, screen.states.value, CameraScreen.State()] {
            #expect(!state.isRecording && !state.isLoading && state.alert == nil && state.zoomLevel == 1)
        }
    }

    @Test(
        "LENS-024 LENS-031 the screen begins one recording, and shows what the recorder says, in every window"
    )
    func mirrors() async throws {
        let (fixture, screen) = try await shown()
        let other = CameraScreen(fixture.app)
        other.appear()
        fixture.local.hide()
        await screen.send(.stop)
        await screen.send(.start)
        let starting = Task { await screen.send(.startRecording) }
        // The screen goes on meanwhile, and says nothing of its own.
        await screen.states.reaches { $0.isLoading }
        #expect(!screen.state.isRecording)
        fixture.local.show(Movie.frame(1))
        await starting.value
        await other.states.reaches { $0.isRecording }
        // Begun twice, the second would have been refused.
        #expect(screen.state.isRecording && screen.state.alert == nil)
        #expect(fixture.documents.names().count == 1)
        try await fixture.local.show(2...14)
        #expect(screen.state.recordingSeconds == 1)
        // Ended elsewhere.
        await fixture.app.stopRecording()
        await screen.states.reaches { !$0.isRecording }
        await other.states.reaches { !$0.isRecording }
        #expect(screen.state.recordingSeconds == 0)
        #expect(fixture.app.recorder.status.value.completed == 1)
        await fixture.app.shutdown()
    }

    @Test("LENS-029 a completed recording is said once, until it is dismissed")
    func toast() async throws {
        let (fixture, screen) = try await shown()
        #expect(screen.state.toast == nil)
        await screen.send(.startRecording)
        #expect(screen.state.toast == nil)
        await screen.send(.stopRecording)
        #expect(screen.state.toast == "Recording complete")
        await screen.send(.dismissToast)
        #expect(screen.state.toast == nil)
        await screen.send(.setZoom(2))
        screen.disappear()
        screen.appear()
        await screen.states.reaches { $0.connection == .connected }
        #expect(screen.state.toast == nil)
        let later = CameraScreen(fixture.app)
        #expect(later.state.toast == nil)
        await fixture.app.shutdown()
    }

    @Test
    func `a recording that does not start is an alert of the window that asked for it, and of no other`()
        async throws
    {
        let (fixture, screen) = try await shown()
        let other = CameraScreen(fixture.app)
        other.appear()
        fixture.permissions.decide(.camera, .denied)
        await screen.send(.startRecording)
        #expect(screen.state.alert?.title == "The recording was not started")
        try await Task.sleep(for: .seconds(1))
        #expect(other.state.alert == nil)
        await screen.send(.dismissAlert)
        #expect(screen.state.alert == nil)
        await fixture.app.shutdown()
    }

    @Test("LENS-030 a completed recording is in the gallery without a new start")
    func gallery() async throws {
        let (fixture, screen) = try await shown()
        let gallery = GalleryScreen(fixture.app)
        gallery.appear()
        await screen.send(.startRecording)
        #expect(gallery.state.items.isEmpty)
        await screen.send(.stopRecording)
        await gallery.states.reaches { $0.items.count == 1 }
        #expect(
            gallery.state.items.map(\.id) == [screen.state.lastVideo] && gallery.state.items[0].kind == .video
        )
        await fixture.app.shutdown()
    }

    @Test func `the preview of a video says what there is to play`() async throws {
        let (fixture, screen) = try await shown()
        await screen.send(.startRecording)
        try await fixture.local.show(1...9)
        await screen.send(.stopRecording)
        let id = try #require(screen.state.lastVideo)
        let screens = fixture.app.makeScreens()
        screens.appear()
        await screens.navigation.send(.present(.mediaPreview(id)))
        await screens.preview.states.reaches { $0.video != nil }
        let video = try #require(screens.preview.state.video)
        #expect(video.frameCount == 10 && abs(video.duration - 1) < 0.001 && video.size == Movie.size)
        let photo = try await fixture.app.capturePhoto()
        await screens.navigation.send(.present(.mediaPreview(photo.id)))
        await screens.preview.states.reaches { $0.item?.id == photo.id }
        #expect(screens.preview.state.video == nil)
        screens.disappear()
        await fixture.app.shutdown()
    }
}
