import PageKit
import Simulation
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Speech through a page", .simulated(seeds: 1...12))
struct BrowserSpeechTests {
    @Test func `without a page that can speak nobody waits`() async throws {
        let world = try await PageWorld.start()
        let start = ContinuousClock.now
        await world.speech.speak("Nobody is there.")
        _ = try await world.open(#"{"presence":{"speaks":false,"visible":true}}"#)
        await world.speech.speak("Nobody has a voice.")
        await world.speech.stop()
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test func `the newest visible page speaks, and nobody else`() async throws {
        let world = try await PageWorld.start()
        let visible = #"{"presence":{"speaks":true,"visible":true}}"#
        let (one, two) = (try await world.open(visible), try await world.open(visible))
        let speech = world.speech
        async let first: Void = speech.speak("First.")
        let frame = try await two.frame { $0.speak != nil }
        #expect(frame.speak?["text"] as? String == "First.")
        try await two.send(#"{"spoken":\#(try #require(frame.speak?["number"] as? Int))}"#)
        await first
        try await two.send(#"{"presence":{"speaks":true,"visible":false}}"#)
        _ = try await two.act("stream", #"{"stopSpeaking":{}}"#)
        async let second: Void = speech.speak("Second.")
        let other = try await one.frame { $0.speak != nil }
        #expect(other.speak?["text"] as? String == "Second.")
        // The page goes in the middle of the sentence: nobody waits for it.
        await one.socket.close(.abnormal)
        await second
    }

    @Test
    func
        `a page receives the end of a sentence that was cut off, and a voice that never ends is not waited for`()
        async throws
    {
        let world = try await PageWorld.start()
        let page = try await world.open(#"{"presence":{"speaks":true,"visible":true}}"#)
        let speech = world.speech
        async let stopped: Void = speech.speak("This is cut off.")
        let number = try #require(try await page.frame { $0.speak != nil }.speak?["number"] as? Int)
        await speech.stop()
        await stopped
        #expect(try await page.frame { $0.hush != nil }.hush == number)
        let start = ContinuousClock.now
        await speech.speak("The browser forgets to say that it was heard.")
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
