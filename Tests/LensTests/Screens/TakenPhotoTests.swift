import AppKernel
import Concurrency
import Files
import Foundation
import GRDB
import Lens
import LensScreens
import ScreenKit
import Services
import SimulationTesting
import Testing

@Suite("A photo that was taken", .simulated(seeds: 1...3, configuration: .shortWaits))
@MainActor
struct TakenPhotoTests {
    /// An app whose camera is on and whose uploads are automatic, and a table of which refuses new rows.
    private func fixture(refusing table: String) async throws -> (AppFixture, CameraScreen) {
        let fixture = try AppFixture { $0.initialSettings.autoUpload = true }
        try fixture.documents.create()
        try await fixture.app.camera.connect()
        try fixture.database.write("refuse") {
            try $0.execute(
                sql: "CREATE TRIGGER locked BEFORE INSERT ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        return (fixture, CameraScreen(fixture.app))
    }

    private func unlock(_ fixture: AppFixture) throws {
        try fixture.database.write("allow") { try $0.execute(sql: "DROP TRIGGER locked") }
    }

    @Test
    func `a photo that cannot be queued is shown as taken, and trying again queues it and takes no other`()
        async throws
    {
        let (fixture, screen) = try await fixture(refusing: "outbox")
        await screen.send(.capturePhoto)
        let photo = try #require(screen.state.lastPhoto)
        #expect(screen.state.alert?.title == "The photo was taken, but not queued for upload")
        #expect(screen.state.alert?.offersRetry == true && !screen.state.isLoading)
        #expect(fixture.app.gallery.content.value.items.map(\.id) == [photo])
        await screen.send(.retry)
        #expect(screen.state.alert?.title == "The photo was taken, but not queued for upload")
        try unlock(fixture)
        await screen.send(.retry)
        #expect(screen.state.alert == nil && screen.state.lastPhoto == photo)
        #expect(try fixture.app.uploads.entries().map(\.work.mediaID) == [photo])
        #expect(fixture.documents.names().count == 1)
    }

    @Test func `a video that cannot be queued is shown as recorded, and trying again queues it`() async throws
    {
        let (fixture, screen) = try await fixture(refusing: "outbox")
        fixture.local.show(Movie.frame(0))
        await screen.send(.startRecording)
        await screen.send(.stopRecording)
        let video = try #require(screen.state.lastVideo)
        let title = "The video was recorded, but not queued for upload"
        #expect(screen.state.alert?.title == title && screen.state.alert?.offersRetry == true)
        #expect(screen.state.toast != nil && fixture.app.gallery.content.value.items.map(\.id) == [video])
        #expect(CameraScreen(fixture.app).state.alert == nil)
        await screen.send(.retry)
        #expect(screen.state.alert?.title == title)
        try unlock(fixture)
        await screen.send(.retry)
        #expect(screen.state.alert == nil && screen.state.lastVideo == video)
        #expect(try fixture.app.uploads.entries().map(\.work.mediaID) == [video])
        // The next one is queued, and nothing is said of the one before.
        await screen.send(.startRecording)
        await screen.send(.stopRecording)
        #expect(screen.state.alert == nil && screen.state.lastVideo != video)
        #expect(try fixture.app.uploads.entries().count == 2)
    }

    @Test func `a photo that cannot be noted is not said to be missing, and no second one is offered`()
        async throws
    {
        let (fixture, screen) = try await fixture(refusing: "mediaItem")
        await screen.send(.capturePhoto)
        #expect(screen.state.alert?.title == "The photo is not in the gallery yet")
        #expect(screen.state.alert?.offersRetry == false)
        try unlock(fixture)
        await screen.send(.retry)
        #expect(fixture.documents.names().count == 1 && screen.state.lastPhoto == nil)
        #expect(screen.state.alert != nil)
    }
}
