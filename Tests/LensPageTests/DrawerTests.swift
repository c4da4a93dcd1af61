import Foundation
import LensReplay
import PageKit
import SessionPage
import SessionRecording
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("What lies behind the screens of a recording", .simulated(seeds: 1...3))
struct DrawerTests {
    private func entries(_ user: RecordedUser) throws -> [SessionEntry] {
        var entries = SessionEntries(try SessionReader(path: user.path))
        var found: [SessionEntry] = []
        while let entry = try entries.next() { found.append(entry) }
        return found
    }

    private func ask(_ page: ScriptedPage, _ query: String) async throws -> [[String: Any]] {
        #expect(try await page.act("recording", #"{"entries":{"_0":\#(query)}}"#).isDone)
        return try #require(page.state("entries")["items"] as? [[String: Any]])
    }

    @Test func `the lanes have every entry of the recording, each in the part of its time`() async throws {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        #expect(try await page.act("recording", #"{"lanes":{}}"#).isDone)
        let state = page.state("lanes")
        let lanes = try #require(state["lanes"] as? [[String: Any]])
        let end = try #require(state["end"] as? Int)
        var counts = Array(repeating: 0, count: 240)
        for lane in lanes {
            for (part, count) in try #require(lane["counts"] as? [Int]).enumerated() { counts[part] += count }
        }
        var expected = Array(repeating: 0, count: 240)
        for entry in try entries(user) { expected[min(239, Int(entry.nanoseconds) * 240 / end)] += 1 }
        #expect(counts == expected && counts.reduce(0, +) > 20)
        #expect(
            lanes.map { "\($0["name"] ?? "") \($0["kind"] ?? "")" }
                == ["actions screens", "states screens", "sink:80 websocket", "sink:80 http"]
        )
    }

    @Test func `failures are counted in the lane of their peer`() async throws {
        let user = try await RecordedUser.record()
        try user.change(
            """
            INSERT INTO message (connection, direction, kind, nanoseconds, bytes)
            SELECT connection, 'in', 'failure', nanoseconds, CAST('{"code":"reset"}' AS BLOB) FROM message WHERE id = 1
            """
        )
        let page = try await user.show().open()
        try await page.act("recording", #"{"lanes":{}}"#)
        let lanes = try #require(page.state("lanes")["lanes"] as? [[String: Any]])
        let failures = lanes.map { ($0["failures"] as? [Int])?.reduce(0, +) }
        // One of HTTP was refused in the recording, too.
        #expect(failures == [0, 0, 1, 1])
    }

    @Test func `around a time are the entries before and behind it, as many as there are on each side`()
        async throws
    {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        let all = try entries(user)
        let times = all.map(\.nanoseconds)
        for time in [0, times.last ?? 0, Int64(1) << 61] + (0..<12).map({ _ in times.randomElement() ?? 0 }) {
            let seconds = Double(time) / 1e9
            let items = try await ask(page, #"{"seconds":\#(seconds)}"#)
            let asked = min(Int64((seconds * 1e9).rounded()), 1 << 60)
            let before = all.filter { $0.nanoseconds <= asked }
            let behind = all.filter { $0.nanoseconds > asked }
            let expected = before.suffix(80) + behind.prefix(80)
            #expect(items.map { $0["id"] as? String } == expected.map { "\($0.id)" })
            #expect(page.state("entries")["hasEarlier"] as? Bool == (before.count > 80))
            #expect(page.state("entries")["hasLater"] as? Bool == (behind.count > 80))
        }
    }

    @Test func `only what is asked for is listed: a kind, a text, or failures`() async throws {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        let actions = try await ask(page, #"{"seconds":0,"kinds":["actions"]}"#)
        #expect(actions.count == 8 && actions.allSatisfy { $0["way"] as? String == "action" })
        let photos = try await ask(page, #"{"seconds":9,"text":"capturePhoto"}"#)
        #expect(photos.count == 1 && photos.first?["place"] as? String == "screen camera")
        let failures = try await ask(page, #"{"seconds":9,"failures":true}"#)
        #expect(failures.count == 1 && failures.first?["isFailure"] as? Bool == true)
        #expect(try await ask(page, #"{"seconds":9,"text":"no such text"}"#).isEmpty)
    }

    @Test func `an entry is shown with all that it says, and a state with what has changed in it`()
        async throws
    {
        let user = try await RecordedUser.record()
        let page = try await user.show().open()
        var states: [String: String] = [:]
        var changed = 0
        for entry in try entries(user) {
            #expect(try await page.act("recording", #"{"entry":{"_0":"\#(entry.id)"}}"#).isDone)
            let shown = page.state("entry")
            // A click on a state leads to that state, also where others came at the same time.
            if case .screen = entry.content, let event = shown["event"] as? Int {
                #expect("\(entry.id)" == "s\(event)")
            }
            #expect(shown["id"] as? String == "\(entry.id)" && shown["place"] as? String == entry.place)
            #expect(shown["text"] as? String == entry.text && shown["isCut"] as? Bool == false)
            guard case .screen(let screen) = entry.content, screen.kind == .state else {
                #expect(shown["changes"] == nil)
                continue
            }
            defer { states[screen.screen] = screen.json }
            guard let before = states[screen.screen] else {
                #expect(shown["changes"] == nil)
                continue
            }
            let changes = try #require(shown["changes"] as? [[String: String]])
            let expected = JSONDifference.all(before, screen.json, atMost: 100, matchingIDs: true)
            #expect(changes.map { $0["path"] } == expected.map(\.path))
            #expect(changes.map { $0["new"] } == expected.map(\.new))
            changed += changes.isEmpty ? 0 : 1
        }
        #expect(changed > 5)
    }

    @Test func `an entry that there is not, and nonsense, are refused, and the page goes on`() async throws {
        let page = try await RecordedUser.record().show().open()
        for name in ["m999999", "x1", "", "m-1"] {
            let answer = try await page.act("recording", #"{"entry":{"_0":"\#(name)"}}"#)
            #expect(answer.error == "unreadable", "\(name)")
        }
        for action in [#"{"entries":{}}"#, #"{"entries":{"_0":{}}}"#, #"{"entry":{"_0":7}}"#] {
            #expect(try await page.act("recording", action).error == "unknownAction", "\(action)")
        }
        #expect(try await page.step(3).isDone)
    }
}
