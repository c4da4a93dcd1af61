import AppKernel
import Concurrency
import Foundation
import Lens
import LensScreens
import Services
import Simulation
import TestSupport
import Testing

@Suite("A camera that is turned off, or left for a moment")
struct CameraOffTests {
    private let first = UUID()
    private let second = UUID()

    /// Runs a body with an app whose camera stays on for three seconds without viewers, in several orders.
    private func simulated(
        sessions: Int = 0,
        _ body: @escaping @Sendable (AppFixture, LensApp) async throws -> Void
    ) throws {
        for seed in 1...10 as ClosedRange<UInt64> {
            try Simulation(seed: seed).run {
                let fixture = try AppFixture(
                    sessions: (0..<sessions).map { _ in ScriptedSession() }
                ) {
                    $0.cameraGrace = .seconds(3)
                }
                try await body(fixture, fixture.app)
                await fixture.app.shutdown()
            }
        }
    }

    @Test func `no viewer turns a camera on that the user has turned off, until it is turned on or streamed`()
        throws
    {
        let (first, second) = (first, second)
        try simulated(sessions: 1) { fixture, app in
            try await app.showCamera(first)
            await app.camera.turnOff()
            await app.hideCamera(first)
            try await app.showCamera(first)
            try await app.showCamera(second)
            try await Task.sleep(for: .seconds(10))
            #expect(app.camera.status.value.state == .disconnected)
            #expect(fixture.local.calls.value == ["connect", "connected", "disconnect"])
            try await app.camera.connect()
            await app.hideCamera(second)
            try await app.showCamera(second)
            #expect(app.camera.status.value.state == .connected)
            await app.camera.turnOff()
            try await app.startStreaming()
            await app.stopStreaming()
            try await app.showCamera(UUID())
            #expect(app.camera.status.value.state == .connected)
        }
    }

    @Test func `who turns the camera off finds it off after a change of tabs and in a new window`() throws {
        try simulated { fixture, app in
            let screens = await app.makeScreens()
            await screens.appear()
            await screens.camera.states.reaches { $0.connection == .connected }
            await screens.camera.send(.stop)
            await screens.navigation.send(.selectTab(.gallery))
            try await Task.sleep(for: .seconds(5))
            await screens.navigation.send(.selectTab(.camera))
            let window = await app.makeScreens()
            await window.appear()
            try await Task.sleep(for: .seconds(5))
            #expect(fixture.local.calls.value == ["connect", "connected", "disconnect"])
            await window.camera.send(.start)
            await screens.camera.states.reaches { $0.connection == .connected }
            await screens.disappear()
            await window.disappear()
        }
    }

    @Test func `a viewer that comes back within the time finds the camera on, and later it is off`() throws {
        let (first, second) = (first, second)
        try simulated { fixture, app in
            try await app.showCamera(first)
            for viewer in [second, first, second] {
                await app.hideCamera(first)
                await app.hideCamera(second)
                try await Task.sleep(for: .seconds(2.9))
                try await app.showCamera(viewer)
            }
            try await Task.sleep(for: .seconds(10))
            #expect(fixture.local.calls.value == ["connect", "connected"])
            await app.hideCamera(second)
            try await Task.sleep(for: .seconds(2.9))
            #expect(app.camera.status.value.state == .connected)
            try await Task.sleep(for: .seconds(0.2))
            #expect(app.camera.status.value.state == .disconnected)
            try await app.showCamera(first)
            #expect(app.camera.status.value.state == .connected)
        }
    }

    @Test func `a stream that ends while its viewers are away for a moment does not switch the camera`()
        throws
    {
        let first = first
        try simulated(sessions: 1) { fixture, app in
            try await app.showCamera(first)
            try await app.startStreaming()
            await app.hideCamera(first)
            await app.stopStreaming()
            try await Task.sleep(for: .seconds(1))
            try await app.showCamera(first)
            try await Task.sleep(for: .seconds(10))
            #expect(fixture.local.calls.value == ["connect", "connected"])
            await app.hideCamera(first)
            try await Task.sleep(for: .seconds(4))
            #expect(app.camera.status.value.state == .disconnected)
        }
    }

    @Test func `a camera that was connected while nobody looked is not taken away by those who had left`()
        throws
    {
        let first = first
        try simulated { _, app in
            try await app.showCamera(first)
            await app.hideCamera(first)
            try await app.camera.connect()
            try await Task.sleep(for: .seconds(10))
            #expect(app.camera.status.value.state == .connected)
        }
    }
}
