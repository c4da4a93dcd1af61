import Concurrency
import Foundation
import Lens
import Services
import SimulatedDevice
import SimulationTesting
import TestSupport
import Testing

@Suite("Viewers of the camera", .simulated(seeds: 1...3, configuration: .shortWaits))
struct CameraViewerTests {
    private let first = UUID()
    private let second = UUID()

    @Test func `the first viewer connects the camera, and the last one that goes disconnects it`()
        async throws
    {
        let fixture = try AppFixture()
        let app = fixture.app
        await app.hideCamera(first)
        try await app.showCamera(first)
        try await app.showCamera(first)
        try await app.showCamera(second)
        #expect(fixture.local.calls.value == ["connect", "connected"])
        await app.hideCamera(first)
        #expect(app.camera.status.value.state == .connected)
        await app.hideCamera(second)
        #expect(app.camera.status.value.state == .disconnected)
        #expect(fixture.local.calls.value == ["connect", "connected", "disconnect"])
        // A viewer that has gone already is nobody any more.
        try await app.camera.connect()
        await app.hideCamera(second)
        #expect(app.camera.status.value.state == .connected)
    }

    @Test func `a stream keeps the camera that viewers have left, until it is stopped`() async throws {
        let fixture = try AppFixture(sessions: [ScriptedSession()])
        let app = fixture.app
        try await app.showCamera(first)
        try await app.startStreaming()
        await app.hideCamera(first)
        #expect(app.camera.status.value.state == .connected)
        await app.stopStreaming()
        #expect(app.camera.status.value.state == .disconnected)
    }

    @Test func `a stream that ends by itself leaves no camera on for viewers that have gone`() async throws {
        let session = ScriptedSession()
        let fixture = try AppFixture(sessions: [session])
        let app = fixture.app
        _ = await app.launch()
        try await app.showCamera(first)
        try await app.startStreaming()
        await app.hideCamera(first)
        session.say(.closed(code: 1008, reason: "no"))
        await app.camera.status.reaches { $0.state == .disconnected }
        #expect(app.stream.state.value.phase == .idle)
        await app.shutdown()
    }

    @Test func `a viewer who stays keeps the camera when the stream ends`() async throws {
        let fixture = try AppFixture(sessions: [ScriptedSession()])
        let app = fixture.app
        try await app.showCamera(first)
        try await app.startStreaming()
        await app.stopStreaming()
        #expect(app.camera.status.value.state == .connected)
    }

    @Test func `a camera that a stream has connected stays on without viewers`() async throws {
        let fixture = try AppFixture(sessions: [ScriptedSession()])
        let app = fixture.app
        try await app.startStreaming()
        try await app.showCamera(first)
        await app.hideCamera(first)
        #expect(app.camera.status.value.state == .connected)
        await app.stopStreaming()
        #expect(app.camera.status.value.state == .connected)
    }

    @Test func `a viewer who goes does not take the camera from a stream that is being started`() async throws
    {
        let gate = CurrentValue(false)
        let session = ScriptedSession()
        let fixture = try AppFixture(model: ScriptedModel([.waits(gate, session)]))
        let app = fixture.app
        try await app.showCamera(first)
        let starting = Task { try await app.startStreaming() }
        await app.stream.state.reaches { $0.phase == .connecting }
        await app.hideCamera(first)
        gate.set(true)
        try await starting.value
        #expect(app.camera.status.value.state == .connected)
        #expect(fixture.local.calls.value == ["connect", "connected"])
        await app.stopStreaming()
        #expect(app.camera.status.value.state == .disconnected)
    }

    @Test func `a stream that does not start leaves the camera as the viewers have it`() async throws {
        let fixture = try AppFixture()
        let app = fixture.app
        try await app.showCamera(first)
        await #expect(throws: LiveModelError.self) { try await app.startStreaming() }
        #expect(app.camera.status.value.state == .connected)
        await app.hideCamera(first)
        #expect(app.camera.status.value.state == .disconnected)
    }

    @Test func `a viewer who goes while the camera is being connected leaves it off`() async throws {
        let fixture = try AppFixture()
        let app = fixture.app
        fixture.local.connects.set(false)
        let (first, second) = (first, second)
        let showing = Task { try await app.showCamera(first) }
        await fixture.local.calls.reaches { $0 == ["connect"] }
        await app.hideCamera(first)
        await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await showing.value }
        #expect(app.camera.status.value.state == .disconnected)
        fixture.local.connects.set(true)
        try await app.showCamera(second)
        #expect(app.camera.status.value.state == .connected)
    }

    @Test func `a denied camera is not opened, and the one on the network is`() async throws {
        let fixture = try AppFixture(permissions: .init(decided: [.camera: .denied]))
        let app = fixture.app
        await #expect(throws: CameraError.permissionDenied) { try await app.showCamera(first) }
        await #expect(throws: CameraError.permissionDenied) { try await app.startStreaming() }
        #expect(fixture.local.calls.value.isEmpty)
        #expect(app.camera.status.value.error == .permissionDenied)
        #expect(app.stream.state.value.phase == .idle)
        try await app.camera.switchTo(.veepaWiFi)
        #expect(app.camera.status.value.state == .connected)
    }
}
