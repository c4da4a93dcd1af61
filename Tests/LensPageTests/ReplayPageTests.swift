import Foundation
import HTTPTypes
import JPEG
import LensReplay
import PageKit
import Services
import SessionPage
import SessionRecording
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("A recording on the page", .simulated(seeds: 1...3))
struct ReplayPageTests {
    @Test func `at every event the page shows what each screen showed then, whatever it showed before`()
        async throws
    {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        let count = try SessionReader(path: user.path).screens().count
        for event in (1...count).shuffled() + [1, count] {
            #expect(try await page.step(event).isDone)
            #expect(try page.shown == user.states(at: event), "event \(event)")
            #expect(page.state("place")["event"] as? Int == event)
        }
        // What the page has is not sent again: there are its place and the answer alone.
        let frames = page.frames.count
        try await page.step(count)
        #expect(page.frames.count == frames + 2)
        #expect(page.state("recording")["events"] as? Int == count)
        #expect(page.state("navigation")["selectedTab"] as? Int == 2)
        #expect(page.state("chat")["inputText"] as? String == "What colour is it?")
        #expect(page.state("place")["next"] == nil)
    }

    @Test func `a time shows the newest event that is not later, and times outside show the ends`()
        async throws
    {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        let screens = try SessionReader(path: user.path).screens()
        let end = try #require(screens.last).nanoseconds
        for _ in 0..<40 {
            let time = Int64.random(in: 0...end)
            try await page.seek(Double(time) / 1e9)
            let expected = try #require(screens.lastIndex { $0.nanoseconds <= time }) + 1
            #expect(page.state("place")["event"] as? Int == expected)
            #expect(try page.shown == user.states(at: expected))
            if expected < screens.count {
                #expect(page.state("place")["next"] as? Double == Double(screens[expected].nanoseconds) / 1e9)
            }
        }
        for (time, event) in [
            (-5, try #require(screens.lastIndex { $0.nanoseconds == 0 }) + 1), (1e300, screens.count),
        ] {
            try await page.seek(time)
            #expect(page.state("place")["event"] as? Int == event)
        }
        for (event, expected) in [(Int.min, 1), (0, 1), (Int.max, screens.count)] {
            try await page.step(event)
            #expect(page.state("place")["event"] as? Int == expected)
        }
    }

    @Test func `what was done is listed in words with its event and time`() async throws {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        try await page.step(1)
        #expect(page.state("place")["action"] == nil)
        let items = try #require(page.state("actions")["items"] as? [[String: Any]])
        #expect(
            items.map { $0["text"] as? String } == [
                "Set 7 pictures a second", "Started streaming", "Took a photo", "Opened Gallery",
                "Selected all",
                "Opened Chat", "Typed “What colour is it?”", "Stopped streaming",
            ]
        )
        let actions = try SessionReader(path: user.path).screens().enumerated().filter {
            $0.element.kind == .action
        }
        #expect(items.map { $0["event"] as? Int } == actions.map { $0.offset + 1 })
        #expect(
            items.map { $0["seconds"] as? Double } == actions.map { Double($0.element.nanoseconds) / 1e9 }
        )
        let photo = try #require(items[2]["event"] as? Int)
        for (event, action) in [(photo - 1, items[1]["event"] as? Int), (photo, photo), (photo + 1, photo)] {
            try await page.step(event)
            #expect(page.state("place")["action"] as? Int == action)
        }
    }

    @Test func `the page receives the name of the recording, and no path, token or setting of it`()
        async throws
    {
        let user = try await RecordedUser.record()
        let world = try await user.show()
        let page = try await world.open()
        for event in 1...200 { try await page.step(event) }
        let facts = page.state("recording")
        #expect(facts["name"] as? String == "user.lenssession" && facts["seed"] as? String == "\(UInt64.max)")
        #expect(facts["start"] as? Double == 1_700_000_000)
        #expect(facts["isWhole"] as? Bool == true && facts["hasFailed"] as? Bool == true)
        let everything = page.frames.map(\.text).joined()
        for secret in [
            world.token.text, user.folder.path, RecordedUser.input, "simulated-gemini-key", "/phone",
        ] {
            #expect(!everything.contains(secret), "\(secret) was sent to the page")
        }
    }

    @Test func `nothing can be done to a recording, and its file stays as it is`() async throws {
        let user = try await RecordedUser.record()
        let before = try Data(contentsOf: URL(filePath: user.path))
        let world = try await user.show()
        let page = try await world.open()
        try await page.step(20)
        let shown = page.shown
        for (screen, action) in [
            ("camera", #"{"capturePhoto":{}}"#), ("navigation", #"{"selectTab":{"_0":1}}"#),
            ("chat", #"{"clearHistory":{}}"#),
            ("settings", #"{"saveKey":{"_0":"k"}}"#), ("gallery", "{}"),
        ] { #expect(try await page.act(screen, action).error == "readOnly", "\(screen)") }
        #expect(page.shown == shown)
        let key = HTTPBody.text(#"{"screen":"settings","action":{"saveKey":{"_0":"k"}}}"#)
        #expect(try await world.status(world.secret(page.id), key) == 405)
        #expect(try Data(contentsOf: URL(filePath: user.path)) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: user.folder.path) == ["user.lenssession"])
    }

    @Test func `marks are kept beside the recording, for every tab and the next time`() async throws {
        let user = try await RecordedUser.record()
        let before = try Data(contentsOf: URL(filePath: user.path))
        let world = try await user.show()
        let (page, other) = (try await world.open(), try await world.open())
        try await page.step(1)
        #expect((page.state("marks")["marks"] as? [Any])?.isEmpty == true)
        func mark(_ page: ScriptedPage, _ time: Int, _ text: String) async throws -> [String] {
            let action = #"{"mark":{"_0":{"milliseconds":\#(time),"text":"\#(text)"}}}"#
            #expect(try await page.act("recording", action).isDone)
            let marks = page.state("marks")["marks"] as? [[String: Any]] ?? []
            return marks.map { "\($0["milliseconds"] ?? "") \($0["text"] ?? "")" }
        }
        #expect(try await mark(page, 900, "late") == ["900 late"])
        #expect(try await mark(other, 100, "early") == ["100 early", "900 late"])
        #expect(try await mark(page, 900, "later") == ["100 early", "900 later"])
        #expect(try await page.act("recording", #"{"unmark":{"_0":100}}"#).isDone)
        #expect(try SessionMarksFile(beside: user.path).read().marks.map(\.text) == ["later"])
        let next = try await world.open()
        try await next.step(1)
        #expect((next.state("marks")["marks"] as? [Any])?.count == 1)
        let never = #"{"mark":{"_0":{"milliseconds":-1,"text":""}}}"#
        #expect(try await page.act("recording", never).error == "unreadable")
        #expect(try Data(contentsOf: URL(filePath: user.path)) == before)
    }

    @Test func `the film has a small picture for each part in which something was seen`() async throws {
        let user = try await RecordedUser.record()
        // What was sent is no picture that can be made small; this one is.
        let seen = try JPEGEncoder().encode(
            PixelBuffer(size: PixelSize(width: 640, height: 360), layout: .rgb),
            quality: 80
        )
        let text = #"{"realtimeInput":{"video":{"data":"\#(Data(seen).base64EncodedString())"}}}"#
        try user.change(
            "UPDATE message SET bytes = CAST('\(text)' AS BLOB) WHERE kind = 'text' AND direction = 'out'"
        )
        let world = try await user.show()
        var sizes: [Int] = []
        for part in 0..<12 where try await world.status(world.request("/film/\(part)")) == 200 {
            let file = try await world.body("/film/\(part)")
            sizes.append(try JPEGDecoder().header(of: file).size.width)
        }
        #expect(sizes == [160])
        let page = try await world.open()
        #expect(try await page.act("recording", #"{"lanes":{}}"#).isDone)
        let parts = try #require(page.state("lanes")["film"] as? [Int])
        #expect(parts.count == 1)
        #expect(try await world.status(world.request("/film/\(parts[0])")) == 200)
        for path in ["/film/12", "/film/-1", "/film/x", "/film/"] {
            #expect(try await world.status(world.request(path)) == 404, "\(path)")
        }
    }

    @Test func `pictures are those of the recording, and a placeholder where it has none`() async throws {
        let user = try await RecordedUser.record()
        let world = try await user.show()
        let page = try await world.open()
        try await page.step(1)
        #expect(page.state("place")["still"] == nil)
        try await page.step(.max)
        let still = try #require(page.state("place")["still"] as? Int)
        #expect(try await world.body("/stills/\(still)") == RecordedUser.still)
        for folder in ["media", "thumbnails", "pictures"] {
            #expect(try await world.body("/\(folder)/\(user.photo)") == RecordedUser.upload)
            let missing = try await world.body("/\(folder)/\(UUID())")
            #expect(String(decoding: missing, as: UTF8.self).contains("Not in the recording"))
        }
        #expect(String(decoding: try await world.body("/stills/999999"), as: UTF8.self).hasPrefix("<svg"))
        for path in [
            "/stills/x", "/media/x", "/frames", "/media/../user.lenssession", "/stills/1/2",
            "/user.lenssession",
        ] {
            #expect(try await world.status(world.request(path)) == 404, "\(path)")
        }
    }

    @Test func `only a browser with the token sees it, and only from its own page`() async throws {
        let world = try await RecordedUser.record().show()
        for path in ["/", "/kit/replay.js", "/stills/1", "/media/\(UUID())"] {
            #expect(try await world.status(world.request(path, cookie: "")) == 403, "\(path)")
        }
        for handshake in [
            world.handshake(cookie: ""), world.handshake(origin: "http://evil.example"),
            world.handshake(origin: nil),
        ] {
            let error = await #expect(throws: TransportError.self) { _ = try await world.connect(handshake) }
            #expect(error?.code == .upgradeRefused)
        }
        let html = String(decoding: try await world.body("/"), as: UTF8.self)
        #expect(html.contains("data-replay") && !html.contains(world.token.text))
    }

    @Test func `tabs that have gone leave room for others, and each is where it is`() async throws {
        let world = try await RecordedUser.record().show()
        var pages: [ScriptedPage] = []
        for _ in 0..<16 { pages.append(try await world.open()) }
        await #expect(throws: TransportError.self) { _ = try await world.connect(world.handshake()) }
        for (number, page) in pages.enumerated() { try await page.step(1 + number) }
        for (number, page) in pages.enumerated() {
            #expect(page.state("place")["event"] as? Int == 1 + number)
        }
        await pages[0].socket.close(.normal)
        try await Task.sleep(for: .seconds(1))
        try await world.open().step(1)
    }

    @Test func `nonsense is refused with a word, and the page goes on`() async throws {
        let page = try await RecordedUser.record().show().open()
        for nonsense in ["", "{", "null", "{}", #"{"hello":{}}"#] {
            try await page.send(nonsense)
            #expect(try await page.frame { $0.error != nil }.error == "badMessage", "\(nonsense)")
        }
        for action in ["{}", "7", #"{"step":{"_0":1.5}}"#, #"{"seek":{"_0":"a"}}"#, #"{"erase":{}}"#] {
            #expect(try await page.act("recording", action).error == "unknownAction", "\(action)")
        }
        #expect(try await page.act("kitchen", "{}").error == "unknownScreen")
        #expect(try await page.step(3).isDone)
        try await page.socket.send(binary: [1])
        await #expect(throws: ScriptedPage.Ended.self) { try await page.frame { _ in false } }
    }
}

@Suite("Recordings that cannot be shown", .simulated(seeds: 1...1))
struct UnshownRecordingTests {
    private func error(_ sql: String) async throws -> SessionError? {
        let user = try await RecordedUser.record()
        try user.change(sql)
        do throws(SessionError) {
            _ = try ReplayPageServer(.lens, SessionReader(path: user.path), token: PageToken())
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "DELETE FROM screen", "DROP TABLE screen; DROP TABLE seal; PRAGMA user_version = 1",
    ])
    func `a recording without screens says so, and how to make one that has them`(_ sql: String) async throws
    {
        let error = try #require(try await error(sql))
        guard case .withoutScreens = error else {
            Issue.record(error)
            return
        }
        #expect("\(error)".contains("user.lenssession") && "\(error)".contains("lenssim demo"))
    }

    @Test(arguments: ["", " WHERE name = 'camera'"])
    func `one of another app names the app, and the way to its own`(_ some: String) async throws {
        let error = try #require(try await error("UPDATE screen SET name = 'kitchen'\(some)"))
        guard case .ofAnotherApp(_, "Lens") = error else {
            Issue.record(error)
            return
        }
        #expect("\(error)".contains("user.lenssession") && "\(error)".contains("--open"))
    }

    @Test(arguments: [
        "UPDATE screen SET json = '{\"selectedTab\":77}' WHERE id = 1",
        "UPDATE screen SET json = '[' WHERE id = 2",
        "DELETE FROM screen WHERE id = 9", "UPDATE screen SET kind = 'thing' WHERE id = 4",
        "UPDATE screen SET nanoseconds = 9000000000 WHERE id = 10",
        """
        WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 90)
        INSERT INTO screen (nanoseconds, name, kind, json) SELECT 9000000000, 'screen' || n, 'state', '{}' FROM number
        """,
    ])
    func `a damaged one is named as such`(_ sql: String) async throws {
        let error = try await error(sql)
        guard case .damaged = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `where a state is damaged the page stays where it was, and can go on`() async throws {
        let user = try await RecordedUser.record()
        let screens = try SessionReader(path: user.path).screens()
        let damaged = try #require(screens.lastIndex { $0.screen == "stream" && $0.kind == .state }) + 1
        try user.change("UPDATE screen SET json = '{\"phase\":\"dancing\"}' WHERE id = \(damaged)")
        let page = try await user.show().open()
        try await page.step(damaged - 1)
        let shown = page.shown
        #expect(try await page.step(damaged).error == "unreadable")
        #expect(page.shown == shown && page.state("place")["event"] as? Int == damaged - 1)
        try await page.step(2)
        #expect(try page.shown == user.states(at: 2))
    }
}
