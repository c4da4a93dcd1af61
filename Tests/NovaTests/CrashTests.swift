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

@Suite("Nova after its process has died", .simulated(seeds: 1...3))
@MainActor
struct CrashTests {
    /// A phone whose app has ended in good order, with a disk that forgets what it was not told to keep.
    private func ended() async throws -> (fixture: NovaFixture, phone: Node) {
        let fixture = try await NovaFixture()
        fixture.screens.disappear()
        await fixture.app.shutdown()
        fixture.disk.conditions = .losingUnsyncedWrites
        return (fixture, try #require(Simulation.current).node("phone"))
    }

    /// Uses the app on the phone until its power goes; what it was doing then is dropped, and nothing is shut down.
    private func use(
        _ fixture: NovaFixture,
        on phone: Node,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        let using = Task {
            try await launch(fixture, on: phone) {
                try await body()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        _ = await using.result
        fixture.disk.keepPower()
        phone.restart()
    }

    /// Starts the app on the phone with what its disk has, and uses it.
    private func launch(
        _ fixture: NovaFixture,
        on phone: Node,
        _ body: @escaping @MainActor @Sendable () async throws -> Void
    ) async throws {
        let all = { @MainActor @Sendable in
            try await fixture.start()
            await fixture.settle()
            try await body()
        }
        try await phone.run { try await all() }
    }

    @Test(
        "NOVA-031 a like that is shown is there after a power cut at any write, waits, and is counted once",
        arguments: 0..<12
    )
    func like(_ change: UInt64) async throws {
        let (fixture, phone) = try await ended()
        await fixture.goOffline()
        let post = try #require(fixture.nova.posts.first { !$0.likerIDs.contains(fixture.ada.id) })
        let before = post.likerIDs.count
        let isShown = CurrentValue(false)
        try await use(fixture, on: phone) {
            if change > 0 { fixture.disk.powerOff(atChange: change) }
            await fixture.screens.feed.send(.toggleLike(postID: post.id))
            if phone.isAlive { isShown.set(try fixture.shown(post.id).isLiked) }
            if change == 0 { fixture.disk.powerOff() }
            await fixture.settle(.seconds(1))
            fixture.disk.powerOff()
        }
        try await launch(fixture, on: phone) {
            let isKept = fixture.screens.root.state.pendingCount == 1
            #expect(isKept || !isShown.value)
            let found = try fixture.shown(post.id)
            #expect(found.isLiked == isKept)
            fixture.goOnline()
            await fixture.settle(.seconds(65))
            #expect(fixture.screens.root.state.pendingCount == 0)
            await fixture.screens.feed.send(.refresh)
            let shown = try fixture.shown(post.id)
            #expect(shown.isLiked == isKept && shown.likeCount == before + (isKept ? 1 : 0))
            await fixture.app.shutdown()
        }
    }

    @Test(
        "NOVA-052 a publication over which the power goes is made once or, where it was not kept yet, not at all",
        arguments: 0..<12
    )
    func publish(_ tick: Int) async throws {
        let (fixture, phone) = try await ended()
        let posts = fixture.nova.posts.count
        try await use(fixture, on: phone) {
            try await fixture.compose()
            try fixture.nova.faults.arm("nova.answerLost", values: ["silence": 20], skipping: 1, atMost: 1)
            let create = fixture.screens.create
            async let published: Void = create.send(.publish)
            await fixture.settle(.milliseconds(tick < 11 ? tick * 5 : 25_000))
            fixture.disk.powerOff()
            await published
        }
        // It is kept before anything of it is sent.
        let isKept = fixture.publicationStepNames.contains("put")
        try await launch(fixture, on: phone) {
            await fixture.settle(.seconds(200))
            #expect(fixture.nova.posts.count == posts + (isKept ? 1 : 0))
            #expect(fixture.screens.root.state.pendingCount == 0)
            let made = fixture.publicationSteps.filter { $0.line == "POST /posts" }
            #expect(Set(made.map(\.key)).count <= 1 && Set(made.map(\.body)).count <= 1)
            let isAnyPictureKept = try fixture.keepsPictures()
            #expect(!isAnyPictureKept)
            await fixture.app.shutdown()
        }
    }
}
