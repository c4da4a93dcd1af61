import Foundation
import GeminiLive
import GeminiServer
import Services
import SimulationTesting
import TestSupport
import Testing
import Transport

@Suite("Live session", .simulated(seeds: 1...20))
struct ModelSessionTests {
    @Test("LENS-258 a session is one WebSocket on the Live path, open once its setup is accepted")
    func opening() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open(
            LiveConfiguration(model: GeminiWorld.model, instructions: "Be brief.")
        )
        let record = try #require(world.server.record.sessions.first)
        #expect(world.server.record.handshakeCount == 1)
        #expect(record.version == "v1beta")
        #expect(record.keyPlace == .header)
        #expect(record.model == "models/\(GeminiWorld.model)")
        #expect(record.instructions == "Be brief.")
        #expect(record.isAccepted)
        await session.close()
        #expect(try await session.nextEvent() == .closed(code: 1000, reason: ""))
        #expect(try await session.nextEvent() == .closed(code: 1000, reason: ""))
    }

    @Test(
        "a frame arrives byte for byte, as base64 without line breaks",
        arguments: [7, 8, 9, 300_000]
    )
    func frameBytes(byteCount: Int) async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        let jpeg = TestPicture.jpeg(number: 9, byteCount: byteCount)
        try await session.send(frame: jpeg)
        try await session.send(text: "What is it?")
        _ = try await session.turn()
        let frame = try #require(world.server.record.sessions[0].frames.first)
        #expect(frame.bytes == jpeg)
        #expect(frame.inspection == FrameInspection(width: 64, height: 48, number: 9))
    }

    @Test("LENS-098 LENS-099 LENS-258 the frame message is realtimeInput.video with padded standard base64")
    func frameMessage() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: WebSocketEvent.self)
        let model = try await ScriptedServer.model { socket in
            while let event = try? await socket.receive() {
                continuation.yield(event)
                if case .closed = event { return }
                try? await socket.send(text: #"{"setupComplete":{}}"#)
            }
        }
        let session = try await model.startSession(LiveConfiguration(model: "m", resumption: "h"))
        try await session.send(frame: [0xFB, 0xEF, 0xFF, 0xFE])
        let long = [[UInt8]](repeating: [0xFB, 0xEF, 0xFF, 0xFE], count: 3_000).flatMap(\.self)
        try await session.send(frame: long)
        try await session.send(text: "a \"quote\"")
        await session.close()
        var messages: [WebSocketEvent] = []
        for await message in stream {
            messages.append(message)
            if case .closed = message { break }
        }
        #expect(
            messages == [
                .text(
                    #"{"setup":{"contextWindowCompression":{"slidingWindow":{}},"#
                        + #""generationConfig":{"responseModalities":["TEXT"]},"model":"models/m","#
                        + #""sessionResumption":{"handle":"h"}}}"#
                ),
                .text(#"{"realtimeInput":{"video":{"data":"++///g==","mimeType":"image/jpeg"}}}"#),
                .text(
                    #"{"realtimeInput":{"video":{"data":""#
                        + String(repeating: "++///vvv//777//+", count: 1_000)
                        + #"","mimeType":"image/jpeg"}}}"#
                ),
                .text(#"{"realtimeInput":{"text":"a \"quote\""}}"#),
                .closed(.normal),
            ]
        )
    }

    @Test("the parts of a turn become text in order, then usage, then the end of the turn")
    func turn() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        try await session.send(text: "Hi")
        let events = try await session.events(7)
        #expect(events.prefix(3) == [.text("Hel"), .text("lo "), .text("there.")])
        #expect(events[3] == .generationComplete)
        let usage = TokenUsage(
            prompt: 1,
            answer: 3,
            promptDetails: [.text: 1],
            answerDetails: [.text: 3]
        )
        #expect(events[4] == .usage(usage))
        #expect(events[5] == .turnComplete)
        guard case .resumable(let handle) = events[6] else {
            Issue.record("no handle after the turn: \(events[6])")
            return
        }
        #expect(!handle.isEmpty)
        #expect(world.server.record.sessions[0].replies == ["Hello there."])
    }

    @Test(
        "both routes for words start a reply",
        arguments: [GeminiOptions.TextRoute.realtimeInput, .clientContent]
    )
    func routes(route: GeminiOptions.TextRoute) async throws {
        let world = try await GeminiWorld()
        let session = try await world.open(options: GeminiOptions(textRoute: route))
        try await session.send(text: "Grüße, \"you\"\n\u{1F600}")
        #expect(try await session.turn() == "Hello there.")
        #expect(world.server.record.sessions[0].texts == ["Grüße, \"you\"\n\u{1F600}"])
    }

    @Test("frames alone start no reply, and the next reply knows of them all")
    func framesAlone() async throws {
        let world = try await GeminiWorld(
            script: GeminiScript(brain: DescribingBrain(delayMilliseconds: 0...0))
        )
        let session = try await world.open()
        for number in 0..<30 { try await session.send(frame: TestPicture.jpeg(number: UInt8(number))) }
        try await session.send(text: "Describe it.")
        let text = try await session.turn()
        #expect(text.contains("30 frames so far, e.g. no. 29 of 64x48 pixels."))
        #expect(text.contains("You said: “Describe it.”."))
        #expect(text == world.server.record.sessions[0].replies[0])
        #expect(world.server.record.sessions[0].replies.count == 1)
        #expect(world.server.record.sessions[0].frames.map(\.inspection.number) == (0..<30).map { $0 })
    }

    @Test("usage grows with the context from turn to turn")
    func usage() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        var prompts: [Int] = []
        for _ in 0..<3 {
            try await session.send(frame: TestPicture.jpeg(number: 1))
            // Another of the same second costs nothing.
            try await session.send(frame: TestPicture.jpeg(number: 2))
            try await session.send(text: "And now?")
            try await Task.sleep(for: .seconds(2))
            loop: while true {
                switch try await session.nextEvent() {
                case .usage(let usage): prompts.append(usage.prompt)
                case .turnComplete: break loop
                default: break
                }
            }
        }
        #expect(prompts == [258 + 2, 2 * 258 + 7, 3 * 258 + 12])
    }

    @Test("a reader that is cancelled can go on reading")
    func cancelledReader() async throws {
        let world = try await GeminiWorld()
        let session = try await world.open()
        let waiting = Task { try await session.nextEvent() }
        waiting.cancel()
        await #expect { try await waiting.value } throws: { ($0 as? LiveModelError)?.code == .cancelled }
        try await session.send(text: "Hi")
        #expect(try await session.turn() == "Hello there.")
    }
}
