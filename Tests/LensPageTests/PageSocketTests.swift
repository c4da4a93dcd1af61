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

@Suite("The page's socket", .simulated(seeds: 1...12))
struct PageSocketTests {
    @Test func `a newcomer streams, hears answers, takes a photo, finds it uploaded and changes the rate`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open(#"{"presence":{"speaks":true,"visible":true}}"#)
        #expect(try await page.act("stream", #"{"start":{}}"#).isDone)
        #expect(page.state("stream")["phase"] as? String == "streaming")
        let sentence = try await page.frame { $0.speak != nil }
        try await page.send(#"{"spoken":\#(try #require(sentence.speak?["number"] as? Int))}"#)
        try await page.until("stream") {
            ($0["latestResponse"] as? String)?.contains("frames so far") == true
        }
        #expect(try await page.act("camera", #"{"capturePhoto":{}}"#).isDone)
        let photo = try #require(page.state("camera")["lastPhoto"] as? String)
        #expect(try await page.act("navigation", #"{"selectTab":{"_0":1}}"#).isDone)
        try await page.until("gallery") { state in
            let items = state["items"] as? [[String: Any]] ?? []
            return items.contains { $0["id"] as? String == photo && $0["badge"] as? String == "greenCheck" }
        }
        #expect(try await world.status(world.request("/media/\(photo)")) == 200)
        #expect(try await world.status(world.request("/thumbnails/\(photo)")) == 200)
        #expect(try await page.act("settings", #"{"setFrameRate":{"_0":9}}"#).isDone)
        #expect(world.world.lens.settings.current.value.framesPerSecond == 9)

        let everything = page.frames.map(\.text).joined()
        for secret in [world.token.text, LensOptions.modelKey, "/phone", "Documents", ".sqlite", "eyJ"] {
            #expect(!everything.contains(secret), "\(secret) was sent to the page")
        }
    }

    @Test func `a page that is loaded again in the middle of an answer goes on where it was`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        _ = try await page.act("stream", #"{"start":{}}"#)
        _ = try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        try await page.until("chat") { $0["isStreaming"] as? Bool == true }
        let (id, versions) = (page.id, page.versions)
        await page.socket.close(Bool.random() ? .abnormal : .normal)

        let told = try JSONSerialization.data(withJSONObject: versions)
        let again = try await world.open(
            #"{"page":"\#(id)","versions":\#(String(decoding: told, as: UTF8.self))}"#
        )
        #expect(again.frames.first?.welcome?["resumed"] as? Bool == true)
        #expect(again.id == id)
        try await again.until("chat") { ($0["messages"] as? [Any])?.isEmpty == false }
        // What the page has is not sent again, and nothing goes back.
        #expect(again.versions["navigation"] == nil)
        for (screen, version) in again.versions { #expect(version > versions[screen] ?? 0) }

        // Loaded again without its memory: all of it comes, and the tab is the same.
        await again.socket.close(.normal)
        let fresh = try await world.open(#"{"page":"\#(id)"}"#)
        try await fresh.until("navigation") { $0["selectedTab"] as? Int == 2 }
    }

    @Test func `two tabs have places of their own, and one app`() async throws {
        let world = try await PageWorld.start()
        let (one, two) = (try await world.open(), try await world.open())
        _ = try await one.act("navigation", #"{"selectTab":{"_0":1}}"#)
        _ = try await two.act("camera", #"{"start":{}}"#)
        try await Task.sleep(for: .milliseconds(200))
        _ = try await two.act("camera", #"{"capturePhoto":{}}"#)
        try await one.until("gallery") { ($0["items"] as? [Any])?.count == 1 }
        #expect(two.state("navigation")["selectedTab"] as? Int == 0)

        // The copy of a tab takes over its session; the first one begins another.
        let copy = try await world.open(#"{"page":"\#(one.id)"}"#)
        try await copy.until("navigation") { $0["selectedTab"] as? Int == 1 }
        await #expect(throws: ScriptedPage.Ended.self) { try await one.frame { _ in false } }
    }

    @Test func `what was begun before the socket was lost is done, and the page learns of it`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        _ = try await page.act("camera", #"{"start":{}}"#)
        try await Task.sleep(for: .milliseconds(200))
        _ = try await page.begin("camera", #"{"capturePhoto":{}}"#)
        // It has begun, and may be done.
        _ = try await page.frame { frame in
            frame.screen == "camera"
                && (frame.state["isLoading"] as? Bool == true || frame.state["lastPhoto"] != nil)
        }
        world.world.network.reset("browser", "phone")
        await #expect(throws: ScriptedPage.Ended.self) { try await page.frame { _ in false } }
        let again = try await world.open(#"{"page":"\#(page.id)"}"#)
        try await again.until("camera") { $0["lastPhoto"] != nil }
        #expect(again.state("camera")["isLoading"] as? Bool == false)
    }

    @Test(.simulated(seeds: 1...4)) func `a page that reads slowly gets the newest states, not all of them`()
        async throws
    {
        let world = try await PageWorld.start()
        let (slow, quick) = (try await world.open(), try await world.open())
        for page in [slow, quick] { _ = try await page.act("navigation", #"{"selectTab":{"_0":3}}"#) }
        world.world.network.stall(from: "phone", to: "browser", for: .seconds(20))
        // Both pages stand behind the stalled link; the app itself goes on.
        for rate in 1...3_000 {
            world.world.lens.settings.update { $0.framesPerSecond = 1 + rate % 59 }
            if rate % 100 == 0 { try await Task.sleep(for: .milliseconds(100)) }
        }
        world.world.lens.settings.update { $0.framesPerSecond = 60 }
        let before = slow.frames.count
        try await slow.until("settings") { state in
            (state["settings"] as? [String: Any])?["framesPerSecond"] as? Int == 60
        }
        #expect(slow.frames.count - before < 500)
    }

    @Test func `a key that is typed is kept, and is in no message`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        _ = try await page.act("navigation", #"{"selectTab":{"_0":3}}"#)
        _ = try await page.act("settings", #"{"deleteKey":{}}"#)
        let refused = try await page.act("settings", #"{"saveKey":{"_0":"typed-in-the-socket"}}"#)
        #expect(refused.error == "secretInMessage")
        let key = "a-key-that-was-typed"
        func typed(_ key: String) -> HTTPBody {
            .text(#"{"screen":"settings","action":{"saveKey":{"_0":"\#(key)"}}}"#)
        }
        let answer = try await world.pages.send(
            world.secret(page.id),
            body: typed(key),
            timeout: .seconds(30)
        )
        #expect(answer.head.status == .ok)
        let told = String(decoding: try await answer.body.collect(upTo: 100_000), as: UTF8.self)
        #expect(told.contains("••••••••") && told.contains(#""screen":"settings""#) && !told.contains(key))
        try await page.until("settings") { $0["maskedKey"] as? String == "••••••••" }
        #expect(try await world.world.lens.modelKey.read()?.reveal() == key)
        #expect(page.frames.allSatisfy { !$0.text.contains(key) && !$0.text.contains("typed-in") })
        let huge = typed(String(repeating: "k", count: 5_000))
        #expect(try await world.status(world.secret(page.id), huge) == 413)
        #expect(try await world.status(world.secret("none"), typed(key)) == 409)
    }

    @Test func `what has no secret in it comes through the socket alone`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        let rate = world.world.lens.settings.current.value.framesPerSecond
        for body in [
            "", "{}", #"{"screen":"settings"}"#, #"{"screen":"settings","action":{"setFrameRate":{"_0":7}}}"#,
            #"{"screen":"kitchen","action":{"saveKey":{"_0":"k"}}}"#,
            #"{"screen":"settings","action":{"saveKey":{"_0":7}}}"#,
        ] {
            #expect(try await world.status(world.secret(page.id), .text(body)) == 400, "\(body)")
        }
        #expect(world.world.lens.settings.current.value.framesPerSecond == rate)
    }
}

@Suite("Messages that no page sends", .simulated(seeds: 1...3))
struct HostileMessageTests {
    @Test func `nonsense is refused with a word, and the page works as before`() async throws {
        let world = try await PageWorld.start()
        let page = try await world.open()
        let nested = String(repeating: "[", count: 20_000)
        for nonsense in [
            "", "{", "null", "[]", "{}", #"{"id":"a"}"#, #"{"hello":{}}"#, nested,
            #"{"id":1,"screen":"camera"}"#,
        ] {
            try await page.send(nonsense)
            #expect(try await page.frame { $0.error != nil }.error == "badMessage", "\(nonsense.prefix(40))")
        }
        #expect(try await page.act("kitchen", "{}").error == "unknownScreen")
        for action in [
            "{}", "7", #"{"explode":{}}"#, #"{"choose":{"_0":"/etc/passwd"}}"#, #"{"start":{},"stop":{}}"#,
        ] { #expect(try await page.act("camera", action).error == "unknownAction", "\(action)") }
        try await page.send(#"{"spoken":99999}"#)
        #expect(try await page.act("settings", #"{"setFrameRate":{"_0":9223372036854775807}}"#).isDone)
        #expect(world.world.lens.settings.current.value.framesPerSecond == 60)
    }

    @Test func `binary messages, huge ones and sockets without a hello are closed with a reason`()
        async throws
    {
        let world = try await PageWorld.start()
        func close(after send: (any WebSocket) async throws -> Void) async throws -> UInt16 {
            let page = try await world.open()
            try await send(page.socket)
            while true {
                if case .closed(let close) = try await page.socket.receive() { return close.code }
            }
        }
        #expect(try await close { try await $0.send(binary: [1, 2, 3]) } == 1003)
        #expect(try await close { try await $0.send(text: String(repeating: "a", count: 70_000)) } == 1009)
        let silent = try await world.connect(world.handshake())
        try await silent.send(text: #"{"spoken":1}"#)
        #expect(
            try await silent.receive()
                == .closed(WebSocketClose(code: 4000, reason: "a page says hello first"))
        )
    }

    @Test func `so many actions at once are refused, and so many tabs`() async throws {
        let world = try await PageWorld.start()
        var pages: [ScriptedPage] = []
        for _ in 0..<16 { pages.append(try await world.open()) }
        let error = await #expect(throws: TransportError.self) {
            _ = try await world.connect(world.handshake())
        }
        #expect(error?.code == .upgradeRefused)
        await pages[0].socket.close(.normal)
        try await Task.sleep(for: .seconds(1))
        _ = try await world.open()
    }
}
