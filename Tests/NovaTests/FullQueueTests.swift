import Concurrency
import Foundation
import HTTPTypes
import NovaServer
import PeerKit
import S3Server
import ScreenKit
import Services
import SimulatedDevice
import SimulatedDisk
import SimulatedTransport
import Simulation
import SimulationTesting
import Testing

@testable import Nova

@Suite("A queue of Nova that is full", .simulated(seeds: 1...2))
@MainActor
struct FullQueueTests {
    @Test("so many publications wait and no more; the form says so, and keeps picture and caption")
    func publications() async throws {
        let fixture = try await NovaFixture()
        fixture.network.partition(["phone"], ["s3"])
        for number in 0..<NovaLog.mostPublications {
            try await fixture.compose("\(number)")
            await fixture.screens.create.send(.publish)
        }
        try await fixture.compose("One too many")
        let asked = fixture.publicationSteps.count { $0.line == "POST /upload/presign" }
        let picture = fixture.screens.create.picture
        await fixture.screens.create.send(.publish)
        let state = fixture.screens.create.state
        #expect(state.progress.errorMessage == NovaError.tooMuchWaits.errorDescription)
        #expect(state.step == .form && state.caption == "One too many")
        #expect(fixture.screens.create.picture == picture)
        #expect(state.uploads.count == NovaLog.mostPublications)
        #expect(fixture.publicationSteps.count { $0.line == "POST /upload/presign" } == asked)
        await fixture.screens.create.send(.dismissAlert)
        await fixture.screens.create.send(.discardUpload(id: state.uploads[0].id))
        await fixture.screens.create.send(.publish)
        #expect(fixture.screens.create.state.uploads.last?.caption == "One too many")
        await fixture.app.shutdown()
    }

    @Test("the pictures that wait have so many bytes and no more")
    func bytes() async throws {
        let fixture = try await NovaFixture()
        let session = try #require(fixture.app.session)
        fixture.network.partition(["phone"], ["s3"])
        let size = NovaLog.mostPictureBytes / 4 - 25
        for number in 0..<4 { _ = try await session.publish([UInt8](repeating: 7, count: size), "\(number)") }
        #expect(try session.log.hasRoom(forPicture: 100))
        await #expect(throws: NovaError.tooMuchWaits) {
            _ = try await session.publish([UInt8](repeating: 7, count: 101), "One too many")
        }
        await fixture.app.shutdown()
    }

    @Test("what has failed for good stays until the person has seen to it, however much that is")
    func failed() async throws {
        let fixture = try await NovaFixture()
        let post = try #require(fixture.screens.feed.state.posts.first).id
        await fixture.screens.feed.send(.openComments(postID: post))
        await fixture.settle()
        fixture.nova.removePost(post)
        let comments = fixture.screens.comments
        for number in 0..<NovaLog.mostComments {
            await comments.send(.setText("\(number)"))
            await comments.send(.send)
        }
        await comments.send(.setText("One too many"))
        await comments.send(.send)
        #expect(comments.state.errorMessage == NovaError.tooMuchWaits.errorDescription)
        #expect(comments.state.text == "One too many")
        await fixture.settle(.seconds(30))
        let failed = comments.state.comments.filter { $0.delivery == .failed }
        #expect(failed.map(\.text) == (0..<NovaLog.mostComments).reversed().map { "\($0)" })
        await comments.send(.discard(id: try #require(failed.first).id))
        await comments.send(.send)
        #expect(comments.state.text.isEmpty && comments.state.comments.first?.text == "One too many")
        await fixture.app.shutdown()
    }
}
