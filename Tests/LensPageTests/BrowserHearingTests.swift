import AppKernel
import Concurrency
import Lens
import LensScenarios
import PageKit
import Services
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Listening through a page", .simulated(seeds: 1...12))
struct BrowserHearingTests {
    private static let hears = #"{"presence":{"speaks":false,"visible":true,"hears":true}}"#
    private static let start = #"{"startListening":{}}"#

    /// The conversation's messages of the user.
    private static func said(_ world: PageWorld) -> [ChatMessage.Content] {
        world.world.lens.conversation.content.value.messages.filter { $0.role == .user }.map(\.content)
    }

    /// Opens a page on the chat.
    private static func open(_ world: PageWorld, _ hello: String = hears) async throws -> ScriptedPage {
        let page = try await world.open(hello)
        try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
        return page
    }

    private static func title(_ state: [String: Any]) -> String? {
        (state["alert"] as? [String: Any])?["title"] as? String
    }

    @Test func `a page is asked to listen, shows what it has understood, and the last words are said`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await Self.open(world)
        let listening = try await page.begin("chat", Self.start)
        let number = try #require(try await page.frame { $0.listen != nil }.listen)
        try await page.send(#"{"heard":{"number":\#(number)}}"#)
        for text in ["what", "what is"] {
            try await page.send(#"{"heard":{"number":\#(number),"text":"\#(text)"}}"#)
            try await page.until("chat") {
                $0["isListening"] as? Bool == true && $0["transcript"] as? String == text
            }
        }
        // The pause is noticed here: the browser goes on until it is asked for the last words.
        #expect(try await page.frame { $0.finishListening != nil }.finishListening == number)
        try await page.send(#"{"heard":{"number":\#(number),"text":"What is it?","isFinal":true}}"#)
        try await page.frame { $0.id == listening }
        #expect(Self.said(world) == [.text("What is it?")])
        try await page.until("chat") {
            $0["isListening"] as? Bool == false && $0["inputText"] as? String == ""
        }
        #expect(!page.frames.contains { $0.stopListening != nil })
    }

    @Test func `a second tap ends it at once, also in the browser`() async throws {
        let world = try await PageWorld.start()
        let page = try await Self.open(world)
        let listening = try await page.begin("chat", Self.start)
        let number = try #require(try await page.frame { $0.listen != nil }.listen)
        try await page.send(#"{"heard":{"number":\#(number),"text":"one two"}}"#)
        try await page.until("chat") { $0["transcript"] as? String == "one two" }
        // The two may be answered in any order.
        _ = try await page.begin("chat", #"{"finishListening":{}}"#)
        try await page.frame { $0.id == listening }
        #expect(page.frames.contains { $0.stopListening == number })
        #expect(Self.said(world) == [.text("one two")])
        // What comes late is of no matter.
        try await page.send(#"{"heard":{"number":\#(number),"text":"one two three","isFinal":true}}"#)
        #expect(try await page.act("chat", #"{"dismissAlert":{}}"#).isDone)
        #expect(Self.said(world).count == 1)
    }

    @Test func `the page that was used last listens, and no other one in its place`() async throws {
        let world = try await PageWorld.start()
        let (one, two) = (try await Self.open(world), try await Self.open(world))
        let deaf = try await Self.open(world, #"{"presence":{"speaks":true,"visible":true}}"#)
        try await deaf.act("chat", Self.start)
        #expect(Self.title(deaf.state("chat")) == "You could not be heard")
        _ = try await one.begin("chat", Self.start)
        let number = try #require(try await one.frame { $0.listen != nil }.listen)
        // Another page's word on it counts for nothing.
        try await two.send(#"{"heard":{"number":\#(number),"text":"overheard","isFinal":true}}"#)
        #expect(try await two.act("chat", #"{"dismissAlert":{}}"#).isDone)
        #expect(Self.said(world).isEmpty && !two.frames.contains { $0.listen != nil })
        try await one.send(#"{"heard":{"number":\#(number),"text":"heard","isFinal":true}}"#)
        try await two.until("chat") { ($0["messages"] as? [Any])?.isEmpty == false }
        #expect(Self.said(world) == [.text("heard")])
    }

    @Test(
        "a browser that does not understand speech, is not allowed to, or fails is an alert",
        arguments: ["permissionDenied", "microphoneFailed", "nonsense", nil] as [String?]
    )
    func failures(trouble: String?) async throws {
        let world = try await PageWorld.start()
        let page = try await Self.open(
            world,
            trouble == nil ? #"{"presence":{"speaks":false,"visible":true}}"# : Self.hears
        )
        let listening = try await page.begin("chat", Self.start)
        if let trouble {
            let number = try #require(try await page.frame { $0.listen != nil }.listen)
            try await page.send(#"{"heard":{"number":\#(number),"trouble":"\#(trouble)"}}"#)
        }
        try await page.frame { $0.id == listening }
        let state = page.state("chat")
        #expect(Self.title(state) == "You could not be heard" && state["isListening"] as? Bool == false)
        let text = try #require((state["alert"] as? [String: Any])?["text"] as? String)
        let expected = [
            "permissionDenied": "may not use the microphone", "microphoneFailed": "gives no sound",
            "nonsense": "could not be understood", nil: "Speech recognition is not available",
        ]
        #expect(text.contains(expected[trouble] ?? "-"))
        #expect(Self.said(world).isEmpty)
    }

    @Test func `a page that goes, or never begins, ends listening, and the next one is free`() async throws {
        let world = try await PageWorld.start()
        let page = try await Self.open(world)
        _ = try await page.begin("chat", Self.start)
        let number = try #require(try await page.frame { $0.listen != nil }.listen)
        try await page.send(#"{"heard":{"number":\#(number),"text":"half a"}}"#)
        try await page.until("chat") { $0["transcript"] as? String == "half a" }
        await page.socket.close(.abnormal)
        let next = try await Self.open(world)
        try await next.until("chat") { $0["isListening"] as? Bool == false }
        #expect(Self.said(world).isEmpty)
        // A user who is asked for the microphone and does not answer.
        let start = ContinuousClock.now
        let waiting = try await next.begin("chat", Self.start)
        try await next.frame { $0.id == waiting }
        #expect(Self.title(next.state("chat")) == "You could not be heard")
        #expect((.seconds(60)..<Duration.seconds(63)).contains(ContinuousClock.now - start))
        #expect(next.frames.contains { $0.stopListening != nil })
        let again = try await next.begin("chat", Self.start)
        let last = try #require(try await next.frame { $0.listen != nil && $0.listen != number }.listen)
        try await next.send(#"{"heard":{"number":\#(last),"text":"here","isFinal":true}}"#)
        try await next.frame { $0.id == again }
        #expect(Self.said(world) == [.text("here")])
    }

    @Test func `nonsense about what was heard does no harm`() async throws {
        let world = try await PageWorld.start()
        let page = try await Self.open(world)
        _ = try await page.begin("chat", Self.start)
        let number = try #require(try await page.frame { $0.listen != nil }.listen)
        for nonsense in [
            #"{"heard":{}}"#, #"{"heard":5}"#, #"{"heard":{"number":-1,"text":"no","isFinal":true}}"#,
            #"{"heard":{"number":\#(number + 1),"text":"no","isFinal":true}}"#,
            #"{"heard":{"number":\#(number),"text":7}}"#,
        ] { try await page.send(nonsense) }
        try await page.send(
            #"{"heard":{"number":\#(number),"text":"\#(String(repeating: "a", count: 60_000))","isFinal":true}}"#
        )
        try await page.until("chat") { ($0["messages"] as? [Any])?.isEmpty == false }
        // Cut as what is typed.
        #expect(Self.said(world) == [.text(String(repeating: "a", count: 8_000))])
    }
}
