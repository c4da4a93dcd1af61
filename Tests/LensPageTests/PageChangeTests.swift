import Foundation
import Lens
import LensScenarios
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing

/// A page that takes changes of states: what it shows is what whole states would say.
@Suite("Changes of states on a page", .simulated(seeds: 1...5))
struct PageChangeTests {
    /// Applies what came as the page does, and counts the bytes of it.
    private struct Shown {
        var states: [String: [String: Any]] = [:]
        var versions: [String: Int] = [:]
        var bytes = 0
        var gaps = 0

        mutating func take(_ frame: ScriptedPage.Frame) {
            guard let screen = frame.screen else { return }
            bytes += frame.text.utf8.count
            if let change = frame.json["change"] as? [String: Any] {
                if versions[screen] != frame.json["since"] as? Int { gaps += 1 }
                apply(change, to: screen)
            } else {
                states[screen] = frame.state
            }
            versions[screen] = frame.version
        }

        private mutating func apply(_ change: [String: Any], to screen: String) {
            for name in change["unset"] as? [String] ?? [] { states[screen]?[name] = nil }
            for (name, value) in change["set"] as? [String: Any] ?? [:] { states[screen]?[name] = value }
            for (name, value) in change["lists"] as? [String: [String: Any]] ?? [:] {
                let gone = Set(value["remove"] as? [String] ?? [])
                var list = (states[screen]?[name] as? [[String: Any]] ?? []).filter {
                    !gone.contains($0["id"] as? String ?? "")
                }
                for placed in value["set"] as? [[String: Any]] ?? [] {
                    guard let item = placed["item"] as? [String: Any], let at = placed["at"] as? Int else {
                        continue
                    }
                    list.insert(item, at: at)
                }
                states[screen]?[name] = list
            }
        }
    }

    /// A conversation that fills the window of the screen, of messages of 300 characters.
    private func longConversation(_ world: LensWorld) async throws {
        let text = String(repeating: "A sentence of thirty letters. ", count: 10)
        try await world.onPhone { app in
            for number in 0..<200 {
                await app.conversation.append(
                    ChatMessage(
                        role: number.isMultiple(of: 2) ? .user : .assistant,
                        content: .text("\(number) \(text)")
                    )
                )
            }
        }
    }

    @Test
    func `an answer in a conversation of 200 messages costs less than 50 kB of states, and loses nothing`()
        async throws
    {
        let visit = try await PageWorld.start()
        try await longConversation(visit.world)
        let page = try await visit.open(#"{"changes":true}"#)
        let plain = try await visit.open()
        for one in [page, plain] { try await one.act("navigation", #"{"selectTab":{"_0":2}}"#) }
        #expect((plain.state("chat")["messages"] as? [Any])?.count == 200)
        let before = page.frames.count
        _ = try await page.act("chat", #"{"say":{"_0":"What do you see?"}}"#)
        try await plain.until("chat") { state in
            let last = (state["messages"] as? [[String: Any]])?.last
            return last?["role"] as? String == "assistant" && state["isStreaming"] as? Bool == false
                && state["isLoading"] as? Bool == false
        }
        // Until all that the answer has changed is there.
        try await Task.sleep(for: .seconds(5))
        _ = try await page.act("chat", #"{"dismissAlert":{}}"#)
        _ = try await plain.act("chat", #"{"dismissAlert":{}}"#)
        var shown = Shown()
        for frame in page.frames.prefix(before) { shown.take(frame) }
        shown.bytes = 0
        for frame in page.frames.dropFirst(before) { shown.take(frame) }
        #expect(shown.bytes < 50_000)
        #expect(shown.gaps == 0)
        #expect(
            page.frames.dropFirst(before).contains {
                $0.screen == "reply" && $0.state["text"] as? String != ""
            }
        )
        let whole = try JSONSerialization.data(withJSONObject: plain.state("chat"), options: .sortedKeys)
        let built = try JSONSerialization.data(
            withJSONObject: shown.states["chat"] ?? [:],
            options: .sortedKeys
        )
        #expect(whole == built)
        try await visit.world.shutdown()
    }
}
