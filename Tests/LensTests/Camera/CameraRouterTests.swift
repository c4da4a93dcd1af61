import AppKernel
import Lens
import Services
import Testing

@Suite("Camera router", .timeLimit(.minutes(1)))
struct CameraRouterTests {
    private let log = CurrentValue<[String]>([])
    private let remembered = CurrentValue<[CameraSourceType]>([])

    private func router(_ local: ScriptedCamera, _ wireless: ScriptedCamera) -> CameraRouter {
        CameraRouter(factories: [.local: { local }, .veepaWiFi: { wireless }]) { [remembered] type in
            remembered.update { $0.append(type) }
        }
    }

    private func camera(_ name: String, failure: CameraError? = nil) -> ScriptedCamera {
        ScriptedCamera(name, log: log, failure: failure)
    }

    @Test(
        "LENS-043 LENS-048 at first the local camera is chosen, nothing is connected, and no camera was made"
    )
    func defaults() async {
        let router = router(camera("local"), camera("wireless"))
        #expect(router.status.value.source == .local)
        #expect(router.status.value.state == .disconnected)
        #expect(await router.currentSource == nil)
        #expect(await router.latestFrame() == nil)
    }

    @Test("LENS-044 LENS-047 the old camera is disconnected before the new one is connected")
    func order() async throws {
        let router = router(camera("local"), camera("wireless"))
        try await router.connect()
        try await router.switchTo(.veepaWiFi)
        #expect(
            log.value == [
                "local connect", "local connected", "local disconnect", "wireless connect",
                "wireless connected",
            ]
        )
    }

    @Test("LENS-045 a switch goes through disconnected and connecting to connected")
    func states() async throws {
        let router = router(camera("local"), camera("wireless"))
        try await router.connect()
        var states = router.status.values().makeAsyncIterator()
        try await router.switchTo(.veepaWiFi)
        var seen: [CameraSourceState] = []
        while seen.count < 4, let status = await states.next() { seen.append(status.state) }
        #expect(seen == [.connected, .disconnected, .connecting, .connected])
    }

    @Test("LENS-046 a camera that does not connect stays chosen, failed, and its error comes out")
    func failure() async throws {
        let router = router(camera("local"), camera("wireless", failure: .sessionStartFailed))
        try await router.connect()
        await #expect(throws: CameraError.sessionStartFailed) { try await router.switchTo(.veepaWiFi) }
        #expect(router.status.value.source == .veepaWiFi)
        #expect(router.status.value.state == .failed)
        #expect(router.status.value.error == .sessionStartFailed)
        #expect(remembered.value == [.local])
    }

    @Test("a kind without a camera is reported as not found")
    func absent() async {
        let router = CameraRouter(factories: [:])
        await #expect(throws: CameraError.deviceNotFound) { try await router.connect() }
    }

    @Test("LENS-049 switching to the connected camera does nothing")
    func same() async throws {
        let router = router(camera("local"), camera("wireless"))
        try await router.connect()
        try await router.switchTo(.local)
        #expect(log.value == ["local connect", "local connected"])
    }

    @Test("LENS-050 of overlapping switches the last wins, and one that was overtaken connects nothing")
    func overlapping() async throws {
        let local = camera("local")
        let router = router(local, camera("wireless"))
        local.connects.set(false)
        let first = Task { try await router.switchTo(.local) }
        await log.reaches { $0 == ["local connect"] }
        // Immediate tasks, so that the router is asked in this order.
        let overtaken = Task.immediate { try await router.switchTo(.veepaWiFi) }
        let last = Task.immediate { try await router.switchTo(.local) }
        local.connects.set(true)
        for task in [first, overtaken, last] { try await task.value }
        #expect(router.status.value.source == .local && router.status.value.state == .connected)
        #expect(log.value == ["local connect", "local connected"])
    }

    @Test("LENS-050 a switch asked for while another is under way comes after it")
    func serialised() async throws {
        let local = camera("local")
        let router = router(local, camera("wireless"))
        local.connects.set(false)
        let first = Task { try await router.switchTo(.local) }
        await log.reaches { $0 == ["local connect"] }
        let second = Task.immediate { try await router.switchTo(.veepaWiFi) }
        local.connects.set(true)
        for task in [first, second] { try await task.value }
        #expect(router.status.value.source == .veepaWiFi && router.status.value.state == .connected)
        #expect(
            log.value == [
                "local connect", "local connected", "local disconnect", "wireless connect",
                "wireless connected",
            ]
        )
    }

    @Test("LENS-053 pictures come from the connected camera, and none when there is none")
    func frames() async throws {
        let (local, wireless) = (camera("local"), camera("wireless"))
        let router = router(local, wireless)
        local.show(1)
        wireless.show(2)
        #expect(await router.latestFrame() == nil)
        try await router.connect()
        #expect(await router.latestFrame()?.sequence == 1)
        try await router.switchTo(.veepaWiFi)
        #expect(await router.latestFrame()?.sequence == 2)
        await router.disconnect()
        #expect(await router.latestFrame() == nil)
    }
}
