import AppKernel
import Concurrency
import Foundation
import HTTPTypes
import Lens
import LensScenarios
import PageKit
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Actions of a page that loses its socket", .simulated(seeds: 1...12))
struct PageActionTests {
    @Test func `an action that is sent again is not done again, and is answered`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        _ = try await page.act("camera", #"{"start":{}}"#)
        try await Task.sleep(for: .milliseconds(200))
        let shot = try await page.begin("camera", #"{"capturePhoto":{}}"#)
        // It came, and is under way or done; its answer may be lost.
        try await page.until("camera") { $0["isLoading"] as? Bool == true || $0["lastPhoto"] != nil }
        world.world.network.reset("browser", "phone")
        let again = try await world.open(#"{"page":"\#(page.id)"}"#)
        try await again.repeat(shot, "camera", #"{"capturePhoto":{}}"#)
        #expect(try await again.frame { $0.id == shot }.isDone)
        #expect(try world.world.lens.library.items().count == 1)
        // Also long after its end.
        try await again.repeat(shot, "camera", #"{"capturePhoto":{}}"#)
        #expect(try await again.frame { $0.id == shot }.isDone)
        #expect(try world.world.lens.library.items().count == 1)
        #expect(try await again.act("camera", #"{"capturePhoto":{}}"#).isDone)
        #expect(try world.world.lens.library.items().count == 2)
    }

    @Test func `an action that was refused is done when it is sent again in time`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        let refused = try await page.act("kitchen", "{}")
        #expect(refused.error == "unknownScreen")
        try await page.repeat(try #require(refused.id), "settings", #"{"setFrameRate":{"_0":7}}"#)
        #expect(try await page.frame { $0.id == refused.id && $0.error == nil }.isDone)
        #expect(world.world.lens.settings.current.value.framesPerSecond == 7)
    }

    @Test func `what comes through a socket that another one has replaced is not done`() async throws {
        let world = try await PageWorld.start()
        let elsewhere = world.visiting(from: "other-browser")
        let page = try await world.open()
        let before = world.world.lens.settings.current.value.framesPerSecond
        // The first page does not learn that it was replaced.
        world.world.network.stall(from: "phone", to: "browser", for: .seconds(8))
        let copy = try await elsewhere.open(#"{"page":"\#(page.id)"}"#)
        try await page.send(#"{"id":5,"screen":"settings","action":{"setFrameRate":{"_0":41}}}"#)
        try await Task.sleep(for: .seconds(2))
        #expect(world.world.lens.settings.current.value.framesPerSecond == before)
        #expect(try await copy.act("settings", #"{"setFrameRate":{"_0":42}}"#).isDone)
        #expect(world.world.lens.settings.current.value.framesPerSecond == 42)
    }
}

@Suite("Sockets that take up room", .simulated(seeds: 1...3))
struct PageSeatTests {
    @Test func `a socket without a hello counts as a tab, and is closed after five seconds`() async throws {
        let world = try await PageWorld.start()
        var silent: [any WebSocket] = []
        for _ in 0..<16 { silent.append(try await world.connect(world.handshake())) }
        #expect(try await world.status(world.request("/socket")) == 503)
        await #expect(throws: TransportError.self) { _ = try await world.connect(world.handshake()) }
        let opened = ContinuousClock.now
        #expect(
            try await silent[0].receive()
                == .closed(WebSocketClose(code: 4000, reason: "a page says hello first"))
        )
        #expect(ContinuousClock.now - opened < .seconds(6))
        try await Task.sleep(for: .seconds(1))
        #expect(try await world.status(world.request("/socket")) == 426)
        _ = try await world.open()
    }

    @Test func `a page that asks and takes nothing is cut off while its answers wait`() async throws {
        let world = try await PageWorld.start()
        let elsewhere = world.visiting(from: "other-browser")
        let greedy = try await world.open()
        var silent: [any WebSocket] = []
        for _ in 0..<15 { silent.append(try await elsewhere.connect(world.handshake())) }
        #expect(try await elsewhere.status(world.request("/socket")) == 503)
        world.world.network.stall(from: "phone", to: "browser", for: .seconds(600))
        for _ in 0..<8_000 { try? await greedy.send("nonsense") }
        // The fifteen have said no hello, and are gone; so is this one.
        try await Task.sleep(for: .seconds(15))
        for _ in 0..<16 { silent.append(try await elsewhere.connect(world.handshake())) }
    }
}

@Suite("A key that cannot be kept", .simulated(seeds: 1...3))
struct RefusedKeyTests {
    @Test func `the page receives the reason, in words for people`() async throws {
        var options = LensOptions()
        options.adjust = { environment in
            environment.secrets = EnvironmentSecretStore(
                variables: [ModelKey.name: "KEY"],
                environment: ["KEY": "a-given-key"]
            )
        }
        let world = try await PageWorld.start(options)
        let page = try await world.open()
        let typed = HTTPBody.text(#"{"screen":"settings","action":{"saveKey":{"_0":"typed"}}}"#)
        let answer = try await world.pages.send(world.secret(page.id), body: typed, timeout: .seconds(30))
        #expect(answer.head.status == .ok)
        let words = String(decoding: try await answer.body.collect(upTo: 10_000), as: UTF8.self)
        #expect(words.contains("started with a key of its own") && words.contains("Start it again"))
        #expect(!words.contains("KEY") && !words.contains("a-given-key"))
        _ = try await page.act("navigation", #"{"selectTab":{"_0":3}}"#)
        try await page.until("settings") { state in
            (state["alert"] as? [String: Any])?["title"] as? String == "The key was not kept"
        }
        #expect(try await world.world.lens.modelKey.read()?.reveal() == "a-given-key")
    }
}
