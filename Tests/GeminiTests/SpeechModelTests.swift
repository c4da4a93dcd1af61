import TestSupport
import Testing

@testable import GeminiServer

/// Speech with pauses of any length, cut into any pieces.
@Suite("A model of the detection of speech")
struct SpeechModelTests {
    /// A square wave, whose level is its amplitude; 0 for silence.
    private static func sound(_ milliseconds: Int, loud: Bool) -> [UInt8] {
        (0..<16 * milliseconds).flatMap { sample -> [UInt8] in
            let value: Int16 = loud ? (sample / 20 % 2 == 0 ? 8_192 : -8_192) : 0
            let bits = UInt16(bitPattern: value)
            return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
        }
    }

    @Test func `an activity lasts as long as no single pause in it is long enough to end it`() {
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed))
            var settings = SpeechDetector.Settings()
            settings.silenceMilliseconds = 20 * Int.random(in: 5...40, using: &random)
            var detector = SpeechDetector(settings)
            var pcm: [UInt8] = []
            var (activities, isOn) = (0, false)
            for _ in 0..<Int.random(in: 2...8, using: &random) {
                pcm += Self.sound(20 * Int.random(in: 2...10, using: &random), loud: true)
                if !isOn { activities += 1 }
                // More of them are too short than not.
                let pause = 20 * Int.random(in: 1...settings.silenceMilliseconds / 16, using: &random)
                pcm += Self.sound(pause, loud: false)
                isOn = pause < settings.silenceMilliseconds
            }
            var (began, ended) = (0, 0)
            var rest = pcm[...]
            while !rest.isEmpty {
                let part = rest.prefix(2 * Int.random(in: 1...4_000, using: &random))
                rest = rest.dropFirst(part.count)
                for change in detector.hear(Array(part), rate: 16_000) {
                    if case .began = change { began += 1 } else { ended += 1 }
                }
            }
            #expect(began == activities && ended == activities - (isOn ? 1 : 0), "seed \(seed)")
            #expect(detector.isActive == isOn, "seed \(seed)")
        }
    }
}
