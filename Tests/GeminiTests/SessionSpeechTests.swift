import Foundation
import GeminiLive
import GeminiServer
import Services
import SimulationTesting
import Testing

@Suite("Live speech", .simulated(seeds: 1...5))
struct SessionSpeechTests {
    private static func configuration(
        _ answer: LiveAnswer = .text,
        _ activity: LiveActivity = LiveActivity()
    ) -> LiveConfiguration {
        LiveConfiguration(
            model: GeminiWorld.model,
            answer: answer,
            transcribesInput: true,
            transcribesOutput: true,
            activity: activity
        )
    }

    private static let slow = FixedBrain(pieces: [.init(["Well, "]), .init(["yes."], after: .seconds(10))])

    @Test
    func `an answer is spoken in pieces of a tenth of a second, with its words, and ends when it was played`()
        async throws
    {
        let session = try await GeminiWorld().open(Self.configuration(.speech()))
        let start = ContinuousClock.now
        try await session.send(text: "Hi")
        var ahead: Duration?
        var events: [LiveEvent] = []
        while events.last != .turnComplete {
            events.append(try await session.nextEvent())
            if events.last == .generationComplete { ahead = start.duration(to: .now) }
        }
        // Twelve characters at fifteen a second.
        #expect(events.sound.duration == .milliseconds(800))
        #expect(events.spoken == "Hello there." && events.text.isEmpty)
        for case .audio(let piece) in events {
            #expect(piece.sampleRate == 24_000 && piece.isWhole && piece.duration <= .milliseconds(100))
        }
        let samples = stride(from: 0, to: events.sound.pcm.count, by: 2).map { events.sound.pcm[$0 + 1] }
        #expect(Set(samples).count > 10, "a tone, not silence")
        #expect(try #require(ahead) < .milliseconds(100))
        #expect((.milliseconds(800) ..< .seconds(1)).contains(start.duration(to: .now)))
        #expect(events.usage?.answerDetails == [.audio: 20])
    }

    @Test func `voices differ in pitch`() async throws {
        var sounds: [LiveAudio] = []
        for name in ["Kore", "Puck", "Kore"] {
            let session = try await GeminiWorld().open(Self.configuration(.speech(LiveVoice(name: name))))
            try await session.send(text: "Hi")
            sounds.append(try await session.eventsOfTurn().sound)
        }
        #expect(sounds[0] != sounds[1] && sounds[0] == sounds[2])
    }

    @Test func `words while an answer is played cut it short`() async throws {
        let session = try await GeminiWorld().open(Self.configuration(.speech()))
        try await session.send(text: "Hi")
        while try await session.nextEvent() != .generationComplete {}
        try await session.send(text: "Stop")
        let events = try await session.eventsOfTurn()
        #expect(events.first == .interrupted && events.sound.pcm.isEmpty)
        #expect(try await session.eventsOfTurn().contains(.generationComplete))
    }

    @Test(arguments: [20, 33, 100, 1_000])
    func `speech and then silence start an answer, whatever the pieces in which they come`(_ piece: Int)
        async throws
    {
        let world = try await GeminiWorld()
        let session = try await world.open(Self.configuration())
        var pcm = Sound.silence(500).pcm + Sound.speech(1_200).pcm + Sound.silence(1_000).pcm
        while !pcm.isEmpty {
            try await session.send(audio: LiveAudio(pcm: Array(pcm.prefix(piece * 32))))
            pcm.removeFirst(min(pcm.count, piece * 32))
        }
        let events = try await session.eventsOfTurn()
        #expect(events.heard == "Speech of 1200 ms" && events.text == "Hello there.")
        let record = world.server.record.sessions[0]
        #expect(record.audioBytes == 2_700 * 32)
        #expect(record.speeches.map(\.milliseconds) == [1_200])
        #expect(abs(try #require(record.speeches.first).level - 0.25) < 0.01)
        #expect(events.usage?.promptDetails[.audio] ?? 0 > 0)
    }

    @Test func `soft sound is no speech, at low sensitivity neither is what would be at high`() async throws {
        for (amplitude, start, isHeard) in [
            (100, nil, false), (600, nil, true), (600, .low, false), (2_000, .low, true),
        ] as [(Int16, LiveVoiceDetection.Sensitivity?, Bool)] {
            let world = try await GeminiWorld()
            let activity = LiveActivity(detection: .automatic(LiveVoiceDetection(start: start)))
            let session = try await world.open(Self.configuration(.text, activity))
            try await session.send(audio: Sound.speech(400, amplitude: amplitude))
            try await session.send(audio: Sound.silence(1_000))
            try await world.settle()
            #expect(
                world.server.record.sessions[0].speeches.isEmpty != isHeard,
                "\(amplitude) \(start as Any)"
            )
        }
    }

    @Test(arguments: [(300, 200, 2), (300, 400, 1)])
    func `the silence that ends a turn is that of the configuration`(
        _ silence: Int,
        _ pause: Int,
        _ speeches: Int
    ) async throws {
        let world = try await GeminiWorld()
        let voice = LiveVoiceDetection(silence: .milliseconds(pause))
        let session = try await world.open(
            Self.configuration(.text, LiveActivity(detection: .automatic(voice)))
        )
        for _ in 0..<2 {
            try await session.send(audio: Sound.speech(500))
            try await session.send(audio: Sound.silence(silence))
        }
        try await session.send(audio: Sound.silence(500))
        try await world.settle()
        #expect(world.server.record.sessions[0].speeches.count == speeches)
    }

    @Test func `a click shorter than the prefix is no speech`() async throws {
        let world = try await GeminiWorld()
        let voice = LiveVoiceDetection(prefix: .milliseconds(200))
        let session = try await world.open(
            Self.configuration(.text, LiveActivity(detection: .automatic(voice)))
        )
        try await session.send(audio: Sound.speech(180))
        try await session.send(audio: Sound.silence(2_000))
        try await session.send(audio: Sound.speech(220))
        try await session.send(audio: Sound.silence(2_000))
        try await world.settle()
        #expect(world.server.record.sessions[0].speeches.map(\.milliseconds) == [220])
    }

    @Test func `a microphone that is turned off ends the turn`() async throws {
        let session = try await GeminiWorld().open(Self.configuration())
        try await session.send(audio: Sound.speech(500))
        try await session.send(.audioStreamEnd)
        let events = try await session.eventsOfTurn()
        #expect(events.heard == "Speech of 500 ms" && events.text == "Hello there.")
    }

    @Test(arguments: [true, false])
    func `speech during an answer cuts it short, unless that is turned off`(_ interrupts: Bool) async throws {
        let world = try await GeminiWorld(script: GeminiScript(brain: Self.slow))
        let activity = LiveActivity(interrupts: interrupts)
        let session = try await world.open(Self.configuration(.text, activity))
        try await session.send(text: "Hi")
        #expect(try await session.nextEvent() == .text("Well, "))
        try await session.send(audio: Sound.speech(500))
        try await session.send(audio: Sound.silence(1_000))
        let first = try await session.eventsOfTurn()
        #expect(first.contains(.interrupted) == interrupts)
        #expect(first.text == (interrupts ? "" : "yes."))
        // Either way what was said is answered, once.
        let second = try await session.eventsOfTurn()
        #expect(second.text == "Well, yes." && !second.contains(.interrupted))
        try await world.settle()
        #expect(world.server.record.sessions[0].replies.count == 2)
    }

    @Test func `marks of the client bracket speech when detection is off, and sound outside of them is none`()
        async throws
    {
        let world = try await GeminiWorld()
        let session = try await world.open(Self.configuration(.text, LiveActivity(detection: .manual)))
        try await session.send(audio: Sound.speech(900))
        try await session.send(.activityStart)
        try await session.send(audio: Sound.speech(300, rate: 48_000))
        try await session.send(audio: Sound.silence(2_000))
        try await session.send(.audioStreamEnd)
        try await session.send(audio: Sound.speech(200))
        try await session.send(.activityEnd)
        let events = try await session.eventsOfTurn()
        #expect(events.heard == "Speech of 2500 ms" && events.text == "Hello there.")
        #expect(world.server.record.sessions[0].replies.count == 1)
    }

    @Test func `a mark of activity cuts an answer short`() async throws {
        let world = try await GeminiWorld(script: GeminiScript(brain: Self.slow))
        let session = try await world.open(Self.configuration(.text, LiveActivity(detection: .manual)))
        try await session.send(text: "Hi")
        #expect(try await session.nextEvent() == .text("Well, "))
        try await session.send(.activityStart)
        #expect(try await session.eventsOfTurn().first == .interrupted)
    }

    @Test(arguments: [LiveInput.activityStart, .activityEnd])
    func `marks are refused while the service listens by itself`(_ mark: LiveInput) async throws {
        let session = try await GeminiWorld().open(Self.configuration())
        try await session.send(mark)
        guard case .closed(code: 1007, _) = try await session.nextEvent() else {
            Issue.record("the session goes on")
            return
        }
    }

    @Test func `a client that asks for it learns where in the sound its user begins and ends to speak`()
        async throws
    {
        let raw = try await GeminiWorld().raw()
        try await raw.start(
            #"{"setup":{"model":"models/gemini-2.0-flash-live-001","explicitVadSignal":true,"generationConfig":"#
                + #"{"responseModalities":["TEXT"]}}}"#
        )
        let pieces = (0..<20).map { $0 < 10 ? Sound.silence(100) : Sound.speech(100) }
        for piece in pieces {
            let data = Data(piece.pcm).base64EncodedString()
            try await raw.send(
                #"{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=16000","data":"\#(data)"}}}"#
            )
        }
        try await raw.send(#"{"realtimeInput":{"audioStreamEnd":true}}"#)
        var activities: [[String: String]] = []
        while activities.count < 2 {
            let message = try await raw.receive()
            if let activity = message["voiceActivity"] as? [String: String] { activities.append(activity) }
        }
        #expect(activities.map { $0["voiceActivityType"] } == ["ACTIVITY_START", "ACTIVITY_END"])
        let offsets = activities.map { Double($0["audioOffset"]?.dropLast() ?? "") ?? 0 }
        #expect((1.0...1.5).contains(offsets[0]) && offsets[1] == 2)
    }
}
