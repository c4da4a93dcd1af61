import AppKernel
import Concurrency
import Lens
import Services
import Simulation
import Testing

/// A Wi-Fi camera that hangs in its handshake, whatever is done to it.
@Suite("Camera router: a camera that hangs")
struct HangingCameraTests {
    private let local = ScriptedCamera("local")
    private let wireless = ScriptedCamera("wireless", hangs: true)

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `it keeps nobody from choosing another one, and is disconnected when it connects after all`(
        _ seed: UInt64
    ) throws {
        let (local, wireless) = (local, wireless)
        try Simulation(seed: seed).run {
            let router = CameraRouter(factories: [.local: { _ in local }, .veepaWiFi: { _ in wireless }])
            wireless.connects.set(false)
            let hanging = Task { try await router.switchTo(.veepaWiFi) }
            await wireless.calls.reaches { $0 == ["connect"] }
            let clock = ContinuousClock()
            let asked = clock.now
            try await router.switchTo(.local)
            #expect(clock.now - asked <= CameraRouter.grace)
            await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await hanging.value }
            #expect(router.status.value.source == .local && router.status.value.state == .connected)
            wireless.connects.set(true)
            await wireless.calls.reaches { $0.last == "disconnect" }
            #expect(router.status.value.source == .local && router.status.value.state == .connected)
            #expect(wireless.calls.value == ["connect", "connected", "disconnect"])
            // It is of use again.
            try await router.switchTo(.veepaWiFi)
            #expect(local.calls.value == ["connect", "connected", "disconnect"])
        }
    }

    @Test func `it keeps nobody from switching off, and a second try waits for the first`() throws {
        let wireless = wireless
        try Simulation(seed: 1).run {
            let router = CameraRouter(factories: [.veepaWiFi: { _ in wireless }])
            wireless.connects.set(false)
            let hanging = Task { try await router.switchTo(.veepaWiFi) }
            await wireless.calls.reaches { $0 == ["connect"] }
            let clock = ContinuousClock()
            let asked = clock.now
            await router.disconnect()
            #expect(clock.now - asked <= CameraRouter.grace)
            #expect(router.status.value.state == .disconnected)
            await #expect(throws: CameraError.self) { try await hanging.value }

            let again = Task { try await router.connect() }
            await router.status.reaches { $0.state == .connecting }
            try await Task.sleep(for: .seconds(60))
            #expect(wireless.calls.value == ["connect"])
            wireless.connects.set(true)
            try await again.value
            #expect(wireless.calls.value == ["connect", "connected", "disconnect", "connect", "connected"])
            #expect(router.status.value.state == .connected)
        }
    }
}
