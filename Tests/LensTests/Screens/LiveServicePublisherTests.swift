import AppKernel
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

    /// The first so many values of a stream that differ from the ones before them.
    private static func changes<State: Sendable, Value: Equatable & Sendable>(
        _ states: AsyncStream<State>,
        _ count: Int,
        _ value: (State) -> Value
    ) async -> [Value] {
        var changes: [Value] = []
        for await state in states {
            if changes.last != value(state) { changes.append(value(state)) }
            if changes.count == count { break }
        }
        return changes
    }

    @Test(
        "LENS-207 recording, zoom, session and reply are published by their services, and the network by the machine's monitor",
        .enabled(
            if: NetworkNamespace.isPossible,
            "needs unshare and ip (apt-get install util-linux iproute2) and the right to make a network namespace"
        )
    )
    func publishers() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        let app = fixture.app
        _ = await app.launch()
        fixture.local.show(Movie.frame(0))
        // From before the first change: what comes waits until it is read.
        let recording = app.recorder.status.values(backlog: 100)
        let zoom = app.camera.status.values(backlog: 100)
        let connected = app.stream.state.values(backlog: 100)
        let reply = app.stream.latestResponse.values(backlog: 100)
        try await app.camera.connect()
        try await app.startRecording()
        await app.stopRecording()
        try await app.camera.setZoom(2)
        try await app.startStreaming()
        session.say(.text("Hello"))
        await app.stream.latestResponse.reaches { $0 == "Hello" }
        await app.stopStreaming()
        #expect(await Self.changes(recording, 3) { $0.isRecording } == [false, true, false])
        #expect(await Self.changes(zoom, 2) { $0.zoomLevel } == [1, 2])
        #expect(await Self.changes(connected, 3) { $0.isConnected } == [false, true, false])
        #expect(await Self.changes(reply, 2) { $0 } == ["", "Hello"])
        await app.shutdown()

        let network = try NetworkNamespace(watchedBy: Self.watcher)
        let commands = [
            """
            ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up; ip link set lo up
            ip address add 10.9.0.1/24 dev v0; ip route add default via 10.9.0.2 dev v0
            """,
            "ip route del default",
        ]
        #expect(try await network.answers(to: commands) == ["no network", "network", "no network"])
    }
}
