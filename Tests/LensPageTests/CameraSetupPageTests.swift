import AppKernel
import Concurrency
import Foundation
import HTTPTypes
import Lens
import LensScenarios
import PNG
import PPPP
import PageKit
import QRCode
import Services
import SimulatedTransport
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("A new Wi-Fi camera on a page", .simulated(seeds: 1...5))
struct CameraSetupPageTests {
    private static let origin = "http://\(PageWorld.authority)"

    private func start() async throws -> (PageWorld, SimulatedWiFiCamera) {
        var options = LensOptions()
        options.networkCamera = .new
        options.scene = .prepared(try PreparedFrames.make(size: options.size))
        let world = try await PageWorld.start(options)
        return (world, try #require(world.world.wifiCamera))
    }

    /// Up to the step at which the Wi-Fi network is entered.
    private func readLabel(_ page: ScriptedPage, _ camera: SimulatedWiFiCamera) async throws {
        try await page.act("camera", #"{"choose":{"_0":"veepaWiFi"}}"#)
        try await page.until("navigation") { $0["presentedSheet"] != nil }
        try await page.act("setup", #"{"start":{}}"#)
        try camera.holdLabel(true)
        try await page.until("setup") { $0["step"] as? String == "labelRead" }
        try camera.holdLabel(false)
    }

    private func enter(
        _ world: PageWorld,
        _ page: String,
        password: String = SimulatedWiFiCamera.wifi.password.reveal(),
        origin: String? = Self.origin
    ) async throws -> Int {
        let network = ["network": SimulatedWiFiCamera.wifi.name, "password": password]
        let entry = String(decoding: try JSONEncoder().encode(network), as: UTF8.self)
        return try await world.status(
            world.secret(page, origin: origin),
            .text(#"{"screen":"setup","action":{"showCode":\#(entry)}}"#)
        )
    }

    private func picture(
        _ world: PageWorld,
        _ path: String,
        cookie: String? = nil
    ) async throws -> (head: HTTPResponse, bytes: [UInt8]) {
        let answer = try await world.pages.send(
            world.request(path, cookie: cookie),
            body: .empty,
            timeout: .seconds(30)
        )
        return (answer.head, try await answer.body.collect(upTo: 1_000_000))
    }

    @Test func `a camera is set up on a page, by codes that say the network and no cache keeps`() async throws
    {
        let (world, camera) = try await start()
        let page = try await world.open()
        try await readLabel(page, camera)
        #expect(page.state("setup")["device"] as? String == SimulatedWiFiCamera.id)
        #expect(try await enter(world, page.id) == 200)
        try await page.until("setup") { $0["step"] as? String == "showingCode" }
        let state = page.state("setup")
        let (codes, which) = (state["codes"] as? Int ?? 0, state["codesNumber"] as? Int ?? 0)
        #expect(codes == 6 && state["codeMilliseconds"] as? Int == 500)
        var said = WiFiCode()
        for number in 0..<codes {
            let (head, bytes) = try await picture(world, "/codes/\(which)/\(number)?page=\(page.id)")
            #expect(head.status == .ok && head.headerFields[.contentType] == "image/png")
            #expect(head.headerFields[.cacheControl] == "no-store")
            let pixels = try PNGDecoder.decode(bytes)
            let frame = VideoFrame(
                sequence: number,
                timestamp: .zero,
                size: pixels.size,
                content: .pixels(pixels)
            )
            said.add(try WiFiCode(try #require(try QRCodeReader().read(frame).first).bytes))
        }
        #expect(said.name == SimulatedWiFiCamera.wifi.name)
        #expect(said.password == SimulatedWiFiCamera.wifi.password.reveal())
        try await page.until("camera") {
            $0["connection"] as? String == "connected" && $0["source"] as? String == "veepaWiFi"
        }
        try await page.until("navigation") { $0["presentedSheet"] == nil }
        let frames = page.frames.map(\.text).joined()
        #expect(!frames.contains("wifi:pass") && !frames.contains(SimulatedWiFiCamera.factoryPassword))
        #expect(try await picture(world, "/codes/\(which)/0?page=\(page.id)").head.status == .notFound)
    }

    @Test func `a code is given to nobody but the page that shows it, and a password in a frame is refused`()
        async throws
    {
        let (world, camera) = try await start()
        let page = try await world.open()
        let other = try await world.open()
        try await page.act("camera", #"{"choose":{"_0":"veepaWiFi"}}"#)
        #expect(try await enter(world, page.id) == 200)
        try await page.until("setup") { state in
            (state["alert"] as? [String: Any])?["text"] as? String == "No label of a camera was read."
        }
        try await readLabel(page, camera)
        let typed = #"{"showCode":{"network":"Home","password":"typed-password"}}"#
        #expect(try await page.act("setup", typed).error == "secretInMessage")
        #expect(try await enter(world, page.id, origin: "http://elsewhere") == 403)
        #expect(try await enter(world, "nobody") == 409)
        #expect(try await enter(world, other.id) == 200)
        #expect(try await other.act("setup", #"{"dismissAlert":{}}"#).isDone)
        #expect(other.state("setup")["codesNumber"] as? Int ?? 0 == 0)
        #expect(
            try await world.status(
                world.secret(page.id),
                .text(#"{"screen":"setup","action":{"showCode":{"network":"Home"}}}"#)
            ) == 400
        )
        // Too short for a network: an alert of the screen.
        #expect(try await enter(world, page.id, password: "short") == 200)
        try await page.until("setup") { $0["alert"] != nil && $0["step"] as? String == "labelRead" }
        #expect(try await enter(world, page.id) == 200)
        try await page.until("setup") { $0["step"] as? String == "showingCode" }
        let which = page.state("setup")["codesNumber"] as? Int ?? 0
        for path in [
            "/codes/\(which)/0", "/codes/\(which)/0?page=\(other.id)", "/codes/\(which)/6?page=\(page.id)",
            "/codes/\(which + 1)/0?page=\(page.id)", "/codes/\(which)/-1?page=\(page.id)",
            "/codes/x/0?page=\(page.id)",
        ] {
            #expect(try await picture(world, path).head.status == .notFound, "\(path)")
        }
        let stranger = try await picture(world, "/codes/\(which)/0?page=\(page.id)", cookie: "lens-8080=0")
        #expect(stranger.head.status == .forbidden)
        let frames = (page.frames + other.frames).map(\.text).joined()
        #expect(!frames.contains("typed-password") && !frames.contains("wifi:pass"))
        try await page.act("setup", #"{"cancel":{}}"#)
        try await page.until("setup") { $0["step"] as? String == "idle" }
    }

    @Test func `a lost socket forgets neither the camera that was picked nor the setup`() async throws {
        let (world, camera) = try await start()
        let page = try await world.open()
        try await page.act("camera", #"{"choose":{"_0":"veepaWiFi"}}"#)
        try await page.act("discovery", #"{"pick":{"_0":"VSTK-000001-ABCDE"}}"#)
        try await page.until("discovery") { $0["picked"] != nil }
        world.world.network.reset("browser", "phone")
        try await Task.sleep(for: .seconds(5))
        let again = try await world.open(#"{"page":"\#(page.id)"}"#)
        try await again.until("discovery") { $0["picked"] as? String == "VSTK-000001-ABCDE" }
        try await again.act("discovery", #"{"unpick":{}}"#)
        try await again.act("setup", #"{"start":{}}"#)
        try camera.holdLabel(true)
        try await again.until("setup") { $0["step"] as? String == "labelRead" }
        world.world.network.reset("browser", "phone")
        try await Task.sleep(for: .seconds(20))
        let third = try await world.open(#"{"page":"\#(page.id)"}"#)
        try await third.until("setup") { $0["step"] as? String == "labelRead" }
        // Nobody comes back: it is given up.
        world.world.network.reset("browser", "phone")
        try await Task.sleep(for: .seconds(31))
        #expect(world.world.lens.cameraSetup?.state.value == CameraSetupState())
    }
}
