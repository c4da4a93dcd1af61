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

@Suite("What a storage refuses of Nova", .simulated(seeds: 1...5))
@MainActor
struct StorageTests {
    private static let put = "PUT /nova/"
    private static let refusal = "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"

    @Test(
        "NOVA-044 publishing asks for a place, uploads and makes the post, in this order; what fails for good stops what comes after it",
        arguments: [0, 1, 2, 3]
    )
    func order(_ failing: Int) async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        switch failing {
        case 0: try fixture.nova.faults.arm("nova.500", values: ["status": 501])
        case 1: fixture.http.interfere(Self.put, .answer(status: 403, body: Self.refusal))
        case 2: fixture.http.interfere("POST /posts", .answer(status: 403, body: #"{"error":"forbidden"}"#))
        default: break
        }
        await fixture.screens.create.send(.publish)
        await fixture.settle(.seconds(130))
        #expect(fixture.publicationStepNames == Array(["presign", "put", "post"].prefix(failing + 1)))
        #expect((fixture.nova.posts.first?.caption == "Fog") == (failing == 3))
        #expect(fixture.screens.create.state.uploads.map(\.isFailed) == (1...2 ~= failing ? [true] : []))
        #expect(fixture.screens.create.state.step == (failing == 0 ? .form : .entry))
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-050 what the storage refuses for a passing reason waits as “Uploading...”, and is uploaded again",
        arguments: ["s3.slowDown", "s3.upload.timeout", "s3.internalError"]
    )
    func passing(_ fault: String) async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        try fixture.nova.storage.faults.arm(fault, atMost: 2)
        await fixture.screens.create.send(.publish)
        #expect(fixture.screens.create.state.uploads.map(\.text) == ["Uploading..."])
        #expect(fixture.screens.root.state.pendingCount == 1)
        await fixture.settle(.seconds(10))
        #expect(fixture.publicationStepNames == ["presign", "put", "put", "put", "post"])
        #expect(fixture.nova.posts.first?.caption == "Fog" && fixture.screens.create.state.uploads.isEmpty)
        #expect(try !fixture.keepsPictures())
        await fixture.app.shutdown()
    }

    @Test(
        "NOVA-050 what the storage refuses for good stands in the queue with its reason, and can be uploaded again or taken back",
        arguments: [true, false]
    )
    func forbidden(_ isRetried: Bool) async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        fixture.http.interfere(Self.put, .answer(status: 403, body: Self.refusal))
        await fixture.screens.create.send(.publish)
        await fixture.settle(.seconds(130))
        let upload = try #require(fixture.screens.create.state.uploads.first)
        #expect(upload.isFailed && upload.text == "The picture was not stored (AccessDenied).")
        let notices = fixture.screens.root.state.notices.map(\.text)
        #expect(notices == ["Your post was not published. \(upload.text)"])
        #expect(fixture.publicationStepNames == ["presign", "put"])
        #expect(fixture.http.sent(.post, "/auth/refresh").isEmpty)
        #expect(try fixture.keepsPictures())
        if isRetried {
            await fixture.screens.create.send(.retryUpload(id: upload.id))
        } else {
            await fixture.screens.create.send(.discardUpload(id: upload.id))
        }
        await fixture.settle(.seconds(5))
        #expect(fixture.screens.create.state.uploads.isEmpty)
        #expect(fixture.publicationStepNames.dropFirst(2) == (isRetried ? ["put", "post"] : []))
        #expect((fixture.nova.posts.first?.caption == "Fog") == isRetried)
        #expect(try !fixture.keepsPictures())
        await fixture.app.shutdown()
    }

    @Test(
        "a post whose picture is gone from the storage is uploaded again, to another place and under another key"
    )
    func gone() async throws {
        let fixture = try await NovaFixture()
        try await fixture.compose()
        let refusal = #"{"error":"validation_error","message":"Nothing was uploaded."}"#
        fixture.http.interfere("POST /posts", .answer(status: 400, body: refusal))
        await fixture.screens.create.send(.publish)
        await fixture.settle(.seconds(5))
        let upload = try #require(fixture.screens.create.state.uploads.first)
        #expect(upload.isFailed && upload.text == "Nothing was uploaded.")
        await fixture.screens.create.send(.retryUpload(id: upload.id))
        await fixture.settle(.seconds(5))
        #expect(fixture.publicationStepNames == ["presign", "put", "post", "presign", "put", "post"])
        let posts = fixture.publicationSteps.filter { $0.line == "POST /posts" }
        #expect(Set(posts.map(\.key)).count == 2 && Set(posts.map { $0.json["image_key"] }).count == 2)
        #expect(fixture.nova.posts.count { $0.caption == "Fog" } == 1)
        #expect(fixture.screens.create.state.uploads.isEmpty)
        await fixture.app.shutdown()
    }
}
