import Concurrency
import Foundation
import HTTPTypes
import JPEG
import NovaServer
import PeerKit
import PhotoEditing
import S3Server
import ScreenKit
import Services
import SimulatedDevice
import SimulatedTransport
import SimulationTesting
import Testing

@testable import Nova

@Suite("Publishing at Nova", .simulated(seeds: 1...5))
@MainActor
struct PublishTests {
    private func decoded(_ file: [UInt8]?) throws -> PixelSize {
        try JPEGDecoder().header(of: #require(file)).size
    }

    @Test(
        "NOVA-039 NOVA-040 a picked picture becomes a JPEG file of quality 85 that fits into 2048 × 2048: never larger, its aspect kept",
        arguments: [
            (2048, 2048, 2048, 2048), (2049, 64, 2048, 64), (100, 60, 100, 60), (64, 4096, 32, 2048),
            (4096, 64, 2048, 32),
        ]
    )
    func fitted(_ width: Int, _ height: Int, _ fittedWidth: Int, _ fittedHeight: Int) async throws {
        let fixture = try await NovaFixture()
        let file = try ScriptedPhotos.picture(width, height)
        fixture.photos.set(file)
        await fixture.screens.create.send(.pick)
        let picture = try #require(fixture.screens.create.picture)
        #expect(try decoded(picture) == PixelSize(width: fittedWidth, height: fittedHeight))
        // The tables of libjpeg's quality 85: the first entry of the luminance is 5.
        let table = try #require(picture.firstRange(of: [0xFF, 0xDB, 0x00, 0x43, 0x00])).upperBound
        #expect(Array(picture[table..<table + 4]) == [5, 3, 4, 4])
        await fixture.app.shutdown()
    }

    @Test("NOVA-041 the picture is edited as it was picked, and what was made of it is published")
    func edited() async throws {
        let fixture = try await NovaFixture()
        let create = fixture.screens.create
        fixture.photos.set(try ScriptedPhotos.picture(80, 60))
        await create.send(.pick)
        let picked = try #require(create.picture)
        #expect(create.state.step == .edit)
        let edit = PhotoEdit(crop: PhotoCrop(left: 0, top: 0, width: 0.5, height: 1), filter: .mono)
        await create.send(.setCrop(edit.crop))
        await create.send(.setFilter(edit.filter))
        #expect(create.state.edit == edit)
        await create.send(.applyEdit)
        #expect(create.state.step == .form && create.picture != picked)
        let edited = try #require(create.picture)
        let expected = try await Photo.published(picked, edit: edit)
        #expect(edited == expected)
        #expect(try decoded(edited).width == 40)
        await create.send(.publish)
        let key = try #require(fixture.nova.posts.first?.imageKey)
        #expect(fixture.nova.storage.object(key, in: "nova")?.bytes == edited)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-043 what cannot be decoded, and cancelling, lead back to the entry; cancelling is no error",
        arguments: [true, false]
    )
    func notPicked(_ isCancelled: Bool) async throws {
        let fixture = try await NovaFixture()
        let create = fixture.screens.create
        fixture.photos.set(isCancelled ? nil : Array("no picture".utf8))
        await create.send(.pick)
        #expect(create.state.step == .entry && create.picture == nil)
        #expect(create.state.progress.showErrorAlert == !isCancelled)
        #expect(create.state.progress.errorMessage.isEmpty == isCancelled)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-045 NOVA-046 NOVA-047 NOVA-048 publishing asks for a place, puts the bytes there without the token, and makes the post, which is then on top of the feed"
    )
    func publish() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        let picture = try #require(fixture.screens.create.picture)
        await fixture.screens.create.send(.publish)
        await fixture.settle(.seconds(1))
        let steps = fixture.publicationSteps
        try #require(steps.count == 3)
        #expect(steps[0].line == "POST /upload/presign")
        #expect(steps[0].json == ["filename": "photo.jpg", "content_type": "image/jpeg"])
        #expect(steps[1].request.method == .put && steps[1].request.authority == "s3:9000")
        #expect(steps[1].request.headerFields[.authorization] == nil && steps[1].body == picture)
        #expect(steps[1].request.headerFields[.contentType] == "image/jpeg")
        let post = try #require(fixture.nova.posts.first)
        #expect(steps[2].line == "POST /posts" && steps[2].key.flatMap { UUID(uuidString: $0) } != nil)
        let key = try #require(post.imageKey)
        #expect(steps[2].json == ["image_key": .string(key), "caption": "Fog"])
        #expect(post.authorID == fixture.ada.id && post.caption == "Fog")
        #expect(fixture.screens.root.state.tab == .feed && fixture.screens.create.state.step == .entry)
        #expect(fixture.screens.feed.state.posts.first?.id == post.id)
        #expect(fixture.screens.feed.state.posts.first?.post.imageURL != nil)
        await fixture.settle(.seconds(31))
        let event = try #require(fixture.tracked("upload_success").first)
        #expect(event["parameters"]?["post_id"]?.string == post.id)
        #expect(event["parameters"]?["duration_ms"]?.integer ?? -1 > 0)
        await fixture.app.shutdown()
    }

    @Test("a publication whose place comes after the sign-out is not kept, and not made at the next sign-in")
    func signedOutMeanwhile() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        let posts = fixture.nova.posts.count
        try fixture.nova.faults.arm("http.slow", values: ["seconds": 3], atMost: 1)
        let create = fixture.screens.create
        let publishing = Task { await create.send(.publish) }
        await fixture.settle(.seconds(1))
        await fixture.app.signOut()
        await publishing.value
        try await fixture.signIn()
        await fixture.settle(.seconds(120))
        #expect(fixture.nova.posts.count == posts && fixture.publicationSteps.count == 1)
        #expect(fixture.screens.root.state.pendingCount == 0)
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-049 without a place publishing fails with words and can be tried again; nothing waits, and nothing else was sent"
    )
    func unprepared() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        try fixture.nova.faults.arm("nova.presign.500")
        await fixture.screens.create.send(.publish)
        let state = fixture.screens.create.state
        #expect(state.progress.errorMessage == "Failed to prepare upload" && state.offersRetry)
        #expect(state.uploads.isEmpty && fixture.screens.root.state.pendingCount == 0 && state.step == .form)
        #expect(fixture.publicationSteps.map(\.line) == Array(repeating: "POST /upload/presign", count: 3))
        fixture.nova.faults.disarm()
        await fixture.screens.create.send(.publish)
        #expect(fixture.nova.posts.first?.caption == "Fog")
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-050 where the storage is not reached, the post waits as “Uploading...”, and goes on when the network is back"
    )
    func storage() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        fixture.network.partition(["phone"], ["s3"])
        await fixture.screens.create.send(.publish)
        let state = fixture.screens.create.state
        #expect(state.step == .entry && state.uploads.map(\.text) == ["Uploading..."])
        #expect(state.uploads.map(\.caption) == ["Fog"] && !state.uploads[0].isFailed)
        await fixture.goOffline()
        try await fixture.relaunch()
        await fixture.settle(.seconds(5))
        await fixture.screens.root.send(.select(.create))
        await fixture.settle(.milliseconds(1))
        #expect(fixture.screens.create.state.uploads.map(\.text) == ["Uploading..."])
        fixture.goOnline()
        await fixture.settle(.seconds(5))
        #expect(fixture.nova.posts.first?.caption == "Fog" && fixture.screens.root.state.pendingCount == 0)
        #expect(fixture.publicationSteps.count { $0.line == "POST /posts" } == 1)
        await fixture.app.shutdown()
    }

    @Test("NOVA-051 after the end of the place another one is asked for, with the same bytes")
    func expired() async throws {
        var project = NovaProject.seeded()
        project.tokenLifetime = 7200
        let fixture = try await NovaFixture(project)
        try await fixture.compose()
        let picture = try #require(fixture.screens.create.picture)
        fixture.network.partition(["phone"], ["s3"])
        await fixture.screens.create.send(.publish)
        await fixture.settle(.seconds(901))
        fixture.network.heal()
        await fixture.settle(.seconds(61))
        let post = try #require(fixture.nova.posts.first)
        #expect(
            post.caption == "Fog"
                && fixture.nova.storage.object(post.imageKey ?? "", in: "nova")?.bytes == picture
        )
        #expect(
            fixture.publicationSteps.count { $0.line == "POST /upload/presign" } == 2
        )
        #expect(Set(fixture.publicationSteps.filter { $0.request.method == .put }.map(\.body)) == [picture])
        await fixture.app.shutdown()
    }

    @Test("a place that ends before the bytes arrive, whatever its end was said to be, is replaced once")
    func short() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        try fixture.nova.faults.arm("nova.presignShort", values: ["seconds": 1], atMost: 1)
        fixture.network["phone", "s3"].forth.conditions.latency = .constant(.seconds(2))
        await fixture.screens.create.send(.publish)
        await fixture.settle(.seconds(60))
        #expect(fixture.nova.posts.first?.caption == "Fog")
        #expect(fixture.publicationSteps.count { $0.line == "POST /upload/presign" } == 2)
        #expect(fixture.http.sent(.post, "/auth/refresh").isEmpty)
        await fixture.app.shutdown()
    }

    @Test("a publication behind one that has to wait for an hour goes on by itself, and the form is free")
    func behind() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose("Fog")
        let values = ["retryAfter": 3_000.0, "hint": 0]
        try fixture.nova.faults.arm("nova.429", values: values, skipping: 1, atMost: 1)
        await fixture.screens.create.send(.publish)
        try await fixture.compose("Rain")
        let start = ContinuousClock.now
        await fixture.screens.create.send(.publish)
        #expect(ContinuousClock.now - start < .seconds(31))
        #expect(fixture.screens.create.state.step == .entry)
        #expect(fixture.screens.create.state.uploads.map(\.caption).sorted() == ["Fog", "Rain"])
        await fixture.settle(.seconds(3_700))
        #expect(fixture.nova.posts.prefix(2).map(\.caption) == ["Rain", "Fog"])
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-052 a post whose answer is lost is sent again with the same key and bytes, over a restart too: Nova has it once",
        arguments: ["nova.answerLost", "nova.answerCut", "nova.publish.500"]
    )
    func once(_ fault: String) async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        try fixture.nova.faults.arm(fault, skipping: fault == "nova.publish.500" ? 0 : 1, atMost: 2)
        await fixture.screens.create.send(.publish)
        try await fixture.relaunch()
        await fixture.settle(.seconds(100))
        let posts = fixture.publicationSteps.filter { $0.line == "POST /posts" }
        #expect(posts.count > 1 && Set(posts.map(\.key)).count == 1 && Set(posts.map(\.body)).count == 1)
        #expect(fixture.nova.posts.count { $0.caption == "Fog" } == 1)
        #expect(fixture.screens.root.state.pendingCount == 0)
        await fixture.app.shutdown()
    }
}
