import Concurrency
import Foundation
import Lens
import Services
import Simulation
import SimulationTesting
import Testing

@Suite("Camera router", .simulated(seeds: 1...3, configuration: .shortWaits))
struct CameraRouterTests {
    private let log = CurrentValue<[String]>([])
    private let remembered = CurrentValue<[CameraSourceType]>([])

    private func router(_ local: ScriptedCamera, _ wireless: ScriptedCamera) -> CameraRouter {
        CameraRouter(factories: [.local: { _ in local }, .veepaWiFi: { _ in wireless }]) {
            [remembered] type in
            remembered.update { $0.append(type) }
        }
    }

    private func camera(_ name: String, failure: CameraError? = nil) -> ScriptedCamera {
        ScriptedCamera(name, log: log, failure: failure)
    }

    @Test(
        "LENS-043 at first the local camera is chosen, nothing is connected, and no camera was made"
    )
    func defaults() async {
        let router = router(camera("local"), camera("wireless"))
        #expect(router.status.value.source == .local)
        #expect(router.status.value.state == .disconnected)
        #expect(await router.currentSource == nil)
        #expect(await router.latestFrame() == nil)
        // Others read both, and write neither.
        #expect(!((\CameraRouter.status as AnyKeyPath) is ReferenceWritableKeyPath<CameraRouter, Shown>))
        #expect(!((\Shown.value as AnyKeyPath) is WritableKeyPath<Shown, CameraRouter.Status>))
    }

    private typealias Shown = Published<CameraRouter.Status>

    @Test("LENS-226 the kinds of camera are stored as local and veepaWiFi")
    func kinds() throws {
        #expect(CameraSourceType.allCases.map(\.rawValue) == ["local", "veepaWiFi"])
        let json = try JSONEncoder().encode(CameraSourceType.allCases)
        #expect(String(decoding: json, as: UTF8.self) == #"["local","veepaWiFi"]"#)
        #expect(try JSONDecoder().decode([CameraSourceType].self, from: json) == CameraSourceType.allCases)
    }

    @Test("LENS-230 a camera is disconnected, connecting, connected or failed")
    func connectionStates() async throws {
        #expect(CameraSourceState.allCases == [.disconnected, .connecting, .connected, .failed])
        let router = router(camera("local", failure: .sessionStartFailed), camera("wireless"))
        var states = router.status.values().makeAsyncIterator()
        try? await router.connect()
        try await router.switchTo(.veepaWiFi)
        var seen: [CameraSourceState] = []
        while seen.last != .connected, let status = await states.next() { seen.append(status.state) }
        #expect(seen == [.disconnected, .connecting, .failed, .disconnected, .connecting, .connected])
    }

    @Test(
        "LENS-044 the end of the old camera's disconnecting comes before the new one is chosen, and before it is connected"
    )
    func order() async throws {
        let local = camera("local")
        let router = router(local, camera("wireless"))
        try await router.connect()
        local.disconnects.set(false)
        let switching = Task { try await router.switchTo(.veepaWiFi) }
        await log.reaches { $0.last == "local disconnect" }
        for _ in 0..<100 { await Task.yield() }
        #expect(router.status.value.source == .local && log.value.last == "local disconnect")
        #expect(await router.currentSource as? ScriptedCamera === local)
        local.disconnects.set(true)
        try await switching.value
        #expect(router.status.value.source == .veepaWiFi)
        #expect(
            log.value == [
                "local connect", "local connected", "local disconnect", "local disconnected",
                "wireless connect", "wireless connected",
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

    @Test(
        "LENS-050 of overlapping switches the last wins, and those that were overtaken say so",
        // The first come first, so that the router is asked in this order.
        .simulated(seeds: 1...1, strategy: .fifo, configuration: .shortWaits)
    )
    func overlapping() async throws {
        let (local, wireless) = (camera("local"), camera("wireless"))
        let router = router(local, wireless)
        local.connects.set(false)
        let first = Task { try await router.switchTo(.local) }
        await log.reaches { $0 == ["local connect"] }
        let overtaken = Task.immediate { try await router.switchTo(.local) }
        let off = Task.immediate { await router.disconnect() }
        let last = Task.immediate { try await router.switchTo(.veepaWiFi) }
        await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await first.value }
        await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await overtaken.value }
        await off.value
        try await last.value
        #expect(router.status.value.source == .veepaWiFi && router.status.value.state == .connected)
        #expect(router.status.value.error == nil)
        #expect(log.value == ["local connect", "wireless connect", "wireless connected"])
        #expect(remembered.value == [.veepaWiFi])
    }

    @Test func `a request that is overtaken before its turn leaves the connected camera alone`() async throws
    {
        let router = router(camera("local"), camera("wireless"))
        try await router.connect()
        let asked = await router.ask([.veepaWiFi, .local])
        await #expect(throws: CameraError.unknown(CameraOvertaken())) { try await asked[0].value }
        try await asked[1].value
        #expect(log.value == ["local connect", "local connected"])
        #expect(router.status.value.state == .connected && remembered.value == [.local])
    }

    @Test("LENS-050 those who ask for the same are served together")
    func together() async throws {
        let local = camera("local")
        let router = router(local, camera("wireless"))
        local.connects.set(false)
        let first = Task { try await router.switchTo(.local) }
        await log.reaches { $0 == ["local connect"] }
        let second = Task.immediate { try await router.connect() }
        local.connects.set(true)
        try await first.value
        try await second.value
        #expect(log.value == ["local connect", "local connected"])
    }

    @Test func `what is connected for one who was overtaken is disconnected again`() async throws {
        let wireless = ScriptedCamera("wireless", log: log, hangs: true)
        let router = router(camera("local"), wireless)
        wireless.connects.set(false)
        let first = Task { try await router.switchTo(.veepaWiFi) }
        await log.reaches { $0 == ["wireless connect"] }
        let last = Task.immediate { try await router.switchTo(.local) }
        // In time for the next one to wait for it.
        wireless.connects.set(true)
        await #expect(throws: CameraError.self) { try await first.value }
        try await last.value
        #expect(
            log.value == [
                "wireless connect", "wireless connected", "wireless disconnect", "local connect",
                "local connected",
            ]
        )
        #expect(router.status.value.state == .connected && remembered.value == [.local])
    }

    @Test func `a caller that is cancelled leaves alone, and the last one ends the connecting`() async throws
    {
        let local = camera("local")
        let router = router(local, camera("wireless"))
        local.connects.set(false)
        let callers = [
            Task.immediate { try await router.connect() }, Task.immediate { try await router.connect() },
        ]
        await log.reaches { $0 == ["local connect"] }
        callers[0].cancel()
        await #expect(throws: CameraError.unknown(CancellationError())) { try await callers[0].value }
        #expect(router.status.value.state == .connecting)
        callers[1].cancel()
        await #expect(throws: CameraError.unknown(CancellationError())) { try await callers[1].value }
        await router.status.reaches { $0.state == .disconnected }
        #expect(router.status.value.error == nil)
        local.connects.set(true)
        try await router.connect()
        #expect(log.value == ["local connect", "local connect", "local connected"])
    }

    @Test("LENS-048 the current source is the camera of the chosen kind, and none before it was needed")
    func currentSource() async throws {
        let (local, wireless) = (camera("local"), camera("wireless"))
        let router = router(local, wireless)
        #expect(await router.currentSource == nil)
        try await router.connect()
        #expect(await router.currentSource as? ScriptedCamera === local)
        await router.disconnect()
        await router.choose(.veepaWiFi)
        #expect(await router.currentSource == nil)
        try await router.connect()
        #expect(await router.currentSource as? ScriptedCamera === wireless)
        try await router.switchTo(.local)
        #expect(await router.currentSource as? ScriptedCamera === local)
    }

    @Test func `a kind that may not be used is not connected, and another one may be`() async throws {
        let (local, wireless) = (camera("local"), camera("wireless"))
        let router = CameraRouter(
            factories: [.local: { _ in local }, .veepaWiFi: { _ in wireless }],
            authorize: { type throws(CameraError) in if type == .local { throw .permissionDenied } }
        )
        await #expect(throws: CameraError.permissionDenied) { try await router.connect() }
        #expect(router.status.value.state == .failed && router.status.value.error == .permissionDenied)
        #expect(log.value.isEmpty)
        try await router.switchTo(.veepaWiFi)
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

extension CameraRouter {
    /// Asks for several cameras in one turn of the router, so that each is asked for before the work on another begins.
    fileprivate func ask(_ types: [CameraSourceType]) -> [Task<Void, any Error>] {
        types.map { type in Task.immediate { try await self.switchTo(type) } }
    }
}
