import Foundation
import GeminiServer
import PeerKit
import Services
import Simulation
import Testing
import Transport

@Suite("Limits of the simulated Gemini, in virtual time")
struct LimitTests {
    private static func setup(_ more: String) -> String {
        #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]}\#(more)}}"#
    }

    private static func frame(_ number: UInt8) -> String {
        let data = Data(TestPicture.jpeg(number: number)).base64EncodedString()
        return #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"\#(data)"}}}"#
    }

    @Test
    func `a session with video ends two minutes after its first picture, unless its context is compressed`()
        throws
    {
        for (more, end) in [("", 125), (#","contextWindowCompression":{"slidingWindow":{}}"#, 600)] {
            let time = try Simulation(seed: 1).run {
                let raw = try await GeminiWorld().raw()
                let start = ContinuousClock.now
                try await raw.start(Self.setup(more))
                try await Task.sleep(for: .seconds(5))
                try await raw.send(Self.frame(1))
                _ = try await raw.close()
                return ContinuousClock.now - start
            }
            #expect(time == .seconds(end))
        }
    }

    @Test func `compression drops the oldest pictures down to the wanted number of tokens`() throws {
        let tokens = try Simulation(seed: 1).run {
            let raw = try await GeminiWorld().raw()
            try await raw.start(
                Self.setup(
                    #","contextWindowCompression":{"triggerTokens":1000,"slidingWindow":{"targetTokens":600}}"#
                )
            )
            for number in 0..<4 as Range<UInt8> {
                try await raw.send(Self.frame(number))
                // Of the frames of one second one counts.
                try await Task.sleep(for: .seconds(2))
            }
            try await raw.send(
                #"{"clientContent":{"turns":[{"role":"user","parts":[{"text":"1234"}]}],"turnComplete":true}}"#
            )
            while true {
                if let usage = try await raw.receive()["usageMetadata"] as? [String: Any] {
                    return usage["promptTokenCount"] as? Int
                }
            }
        }
        // Four pictures of 258 tokens are over the limit; the words come after that.
        #expect(tokens == 601)
    }

    @Test(arguments: [
        #"{"clientContent":{"turns":[{"parts":[{"text":"WORDS"}]}],"turnComplete":true}}"#,
        #"{"realtimeInput":{"text":"WORDS"}}"#,
    ])
    func `a window over the context holds for words, and for what was said`(_ question: String) throws {
        let question = question.replacing("WORDS", with: String(repeating: "x", count: 1200))
        let prompts = try Self.prompts(saying: String(repeating: "y", count: 2000)) { raw in
            try await raw.send(question)
        }
        // 300 tokens of words and 500 of the answer each time; over 1000 they shrink to 600.
        #expect(prompts == [300, 600, 600, 600, 600, 600])
    }

    @Test func `a window over the context holds for sound`() throws {
        let sound = Base64.encoded(Array(repeating: 0, count: 32_000))
        let prompts = try Self.prompts(saying: "1234") { raw in
            for _ in 0..<20 {
                try await raw.send(
                    #"{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=16000","data":"\#(sound)"}}}"#
                )
            }
            try await raw.send(#"{"realtimeInput":{"text":"1234"}}"#)
        }
        // 500 tokens of sound, one of words and one of the answer.
        #expect(prompts[0] == 501 && prompts.allSatisfy { $0 <= 1000 }, "\(prompts)")
        #expect(Set(prompts).count > 1)
    }

    @Test func `a session that goes on keeps to the window of its new setup`() throws {
        let prompts = try Simulation(seed: 1).run {
            let world = try await GeminiWorld(
                script: GeminiScript(brain: FixedBrain(pieces: [.init(["1234"])]))
            )
            let long = String(repeating: "x", count: 8000)
            var prompts: [Int?] = []
            var handle = ""
            for window in ["{}", #"{"triggerTokens":1000}"#] {
                let raw = try await world.raw()
                try await raw.start(
                    Self.setup(
                        #","sessionResumption":{"handle":"\#(handle)"},"contextWindowCompression":\#(window)"#
                    )
                )
                try await raw.send(#"{"realtimeInput":{"text":"\#(long)"}}"#)
                var update: [String: Any]?
                while update == nil {
                    let message = try await raw.receive()
                    if let usage = message["usageMetadata"] as? [String: Any] {
                        prompts.append(usage["promptTokenCount"] as? Int)
                    }
                    update = message["sessionResumptionUpdate"] as? [String: Any]
                }
                handle = update?["newHandle"] as? String ?? ""
                await raw.socket.close(.normal)
                try await world.settle()
            }
            return prompts
        }
        #expect(prompts == [2000, 501])
    }

    /// The tokens of the prompts of six turns, under a window of 1000 tokens that shrinks to 600.
    private static func prompts(
        saying words: String,
        _ ask: @escaping @Sendable (RawConnection) async throws -> Void
    ) throws -> [Int] {
        try Simulation(seed: 1).run {
            let brain = FixedBrain(pieces: [.init([words])])
            let raw = try await GeminiWorld(script: GeminiScript(brain: brain)).raw()
            try await raw.start(
                setup(
                    #","contextWindowCompression":{"triggerTokens":1000,"slidingWindow":{"targetTokens":600}}"#
                )
            )
            var prompts: [Int] = []
            for _ in 0..<6 {
                try await ask(raw)
                while true {
                    guard let usage = try await raw.receive()["usageMetadata"] as? [String: Any] else {
                        continue
                    }
                    prompts.append(usage["promptTokenCount"] as? Int ?? 0)
                    break
                }
            }
            return prompts
        }
    }
}
