import AppKernel
import Concurrency
import GeminiServer
import Lens
import LensScenarios
import LensScreens
import ScenarioKit
import ScreenKit
import Services
import Simulation
import SimulationTesting
import Testing
import VeepaCameraSimulator

@Suite("The Wi-Fi camera in the app", .timeLimit(.minutes(10)))
struct WiFiCameraTests {
    private func start(isSetUp: Bool = true) async throws -> (LensWorld, SimulatedWiFiCamera) {
        var options = LensOptions()
        options.networkCamera = .simulated(isSetUp: isSetUp)
        options.scene = .prepared(try PreparedFrames.make(size: options.size))
        let world = try await LensWorld.start(options)
        return (world, try #require(world.wifiCamera))
    }

    @Test("a camera is set up, streamed, lost and found again, over many seeds", .simulated(seeds: 1...6))
    func scenario() async throws { _ = try await LensWiFiCamera().run() }

    @Test("cameras are exchanged from afar while everything fails, over many seeds", .simulated(seeds: 1...6))
    func farScenario() async throws { _ = try await LensFarCamera().run() }

    @Test(
        "LENS-067 a change to the local camera ends the frames, tells the camera, and leaves it disconnected and the engine made",
        .simulated(seeds: 1...5)
    )
    func left() async throws {
        let (world, camera) = try await start()
        try await world.onPhone { app in
            try await app.camera.switchTo(.veepaWiFi)
            let source = try #require(await app.camera.currentSource)
            let frames = source.frames(limit: 32)
            for _ in 0..<5 { #expect(await frames.next() != nil) }
            #expect(camera.record.openSessions == 1 && camera.record.closes == 0)
            try await app.camera.switchTo(.local)
            while let frame = await frames.next() {
                Issue.record("a frame after the change: \(frame.sequence)")
            }
            #expect(await source.latestFrame() == nil)
            var states = source.states().makeAsyncIterator()
            #expect(await states.next() == .disconnected)
            #expect(app.networkCamera?.engine.state.value == .running)
            try await Task.sleep(for: .seconds(1))
            #expect(camera.record.openSessions == 0 && camera.record.closes == 1)
            let sent = camera.record.frames
            try await Task.sleep(for: .seconds(5))
            #expect(camera.record.frames == sent)
        }
        try await world.shutdown()
    }

    @Test(
        "LENS-066 a lost camera is published as such, and connected again with the same credentials, without being set up",
        .simulated(seeds: 1...5),
        arguments: [true, false]
    )
    func lost(byItself: Bool) async throws {
        let (world, camera) = try await start()
        try await world.onPhone { app in
            let screens = await app.makeScreens()
            await screens.appear()
            await screens.camera.send(.choose(.veepaWiFi))
            let source = try #require(await app.camera.currentSource)
            #expect(await screens.camera.state.connection == .connected)
            await camera.turnOff()
            for await state in await screens.camera.states.values() where state.alert != nil {
                #expect(state.connection == .failed)
                break
            }
            var states = source.states().makeAsyncIterator()
            let state = await states.next()
            if case .lost? = state {} else { Issue.record("\(String(describing: state))") }
            #expect(await app.camera.latestFrame() == nil)
            try await Task.sleep(for: .seconds(10))
            try await camera.turnOn()
            if !byItself { await screens.camera.send(.retry) }
            for await state in await screens.camera.states.values() where state.connection == .connected {
                break
            }
            try await Task.sleep(for: .seconds(1))
            #expect(await app.camera.latestFrame() != nil)
            #expect(await screens.navigation.state.presentedSheet == nil)
            #expect(await screens.camera.state.alert == nil)
            #expect(camera.record.logins == 2 && camera.record.rejections == 0)
            await screens.disappear()
        }
        try await world.shutdown()
    }

    @Test(
        "LENS-069 a search that finds nothing ends in its time with an empty list and no alert, and the next one finds what is there then",
        .simulated(seeds: 1...5)
    )
    func nothingFound() async throws {
        let (world, camera) = try await start()
        await camera.turnOff()
        try await world.onPhone { app in
            let screens = await app.makeScreens()
            await screens.appear()
            await screens.navigation.send(.present(.cameraDiscovery))
            let states = await screens.discovery.states
            for _ in 0..<2 {
                for await state in states.values() where state.isSearching { break }
                let begun = ContinuousClock.now
                for await state in states.values() where !state.isSearching { break }
                let time = ContinuousClock.now - begun
                #expect(time > .seconds(1) && time < .seconds(10), "\(time)")
                #expect(states.value.cameras.isEmpty && states.value.alert == nil)
                await screens.discovery.send(.search)
            }
            try await camera.turnOn()
            await screens.discovery.send(.search)
            for await state in states.values() where !state.cameras.isEmpty { break }
            #expect(states.value.alert == nil)
            await screens.disappear()
        }
        try await world.shutdown()
    }
}
