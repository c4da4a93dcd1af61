import AppKernel
import Concurrency
import Foundation
import Lens
import NetworkNamespaces
import Services
import Testing

@Suite("What services publish", .timeLimit(.minutes(2)))
struct LiveServicePublisherTests {
    /// Writes what the monitor of Linux publishes.
    private static let watcher = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: ".build/debug/NetworkWatcher").path()

    /// The values of a stream that differ from the ones before them, to its end.
    private static func changes<State: Sendable, Value: Equatable & Sendable>(
        _ states: AsyncStream<State>,
        _ value: (State) -> Value
    ) async -> [Value] {
        var changes: [Value] = []
        for await state in states where changes.last != value(state) {
            changes.append(value(state))
        }
        return changes
    }

    /// What the services of an app publish, from before their first change to their end with the app.
    private struct Streams {
        let recording: AsyncStream<VideoRecorder.Status>
        let zoom: AsyncStream<CameraRouter.Status>
        let connected: AsyncStream<StreamingState>
        let reply: AsyncStream<String>
    }

    /// Records, zooms, streams, and ends.
    private static func use() async throws -> Streams {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        let app = fixture.app
        _ = await app.launch()
        fixture.local.show(Movie.frame(0))
        // What comes waits until it is read.
        let streams = Streams(
            recording: app.recorder.status.values(backlog: 100),
            zoom: app.camera.status.values(backlog: 100),
            connected: app.stream.state.values(backlog: 100),
            reply: app.stream.latestResponse.values(backlog: 100)
        )
        try await app.camera.connect()
        try await app.startRecording()
        await app.stopRecording()
        try await app.camera.setZoom(2)
        try await app.startStreaming()
        session.say(.text("Hello"))
        for await content in app.conversation.content.values()
        where content.messages.last?.content == .text("Hello") || content.streamingResponse == "Hello" {
            break
        }
        await app.stopStreaming()
        await app.shutdown()
        return streams
    }

    @Test(
        "LENS-207 recording, zoom, session and reply are published by their services, and the network by the machine's monitor",
        .enabled(
            if: NetworkNamespace.isPossible,
            "needs unshare and ip (apt-get install util-linux iproute2) and the right to make a network namespace"
        )
    )
    func publishers() async throws {
        let streams = try await Self.use()
        #expect(await Self.changes(streams.recording) { $0.isRecording } == [false, true, false])
        #expect(await Self.changes(streams.zoom) { $0.zoomLevel }.prefix(2) == [1, 2])
        #expect(await Self.changes(streams.connected) { $0.isConnected } == [false, true, false])
        #expect(await Self.changes(streams.reply) { $0 }.prefix(2) == ["", "Hello"])

        let network = try NetworkNamespace(
            watchedBy: Self.watcher,
            after: """
                ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up; ip link set lo up
                ip address add 10.9.0.1/24 dev v0
                """
        )
        let commands = ["ip route add default via 10.9.0.2 dev v0", "ip route del default"]
        #expect(try await network.answers(to: commands) == ["no network", "network", "no network"])
    }
}
