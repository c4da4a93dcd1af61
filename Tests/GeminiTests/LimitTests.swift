import Foundation
import GeminiServer
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
}
