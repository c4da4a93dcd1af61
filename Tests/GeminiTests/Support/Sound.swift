import Services

/// Sound for sessions, and what sessions say of it.
enum Sound {
    /// A square wave: its level is its amplitude.
    static func speech(_ milliseconds: Int, amplitude: Int16 = 8_192, rate: Int = LiveAudio.inputRate)
        -> LiveAudio
    {
        let samples = (0..<rate * milliseconds / 1000).map { $0 / 20 % 2 == 0 ? amplitude : -amplitude }
        return LiveAudio(pcm: samples.flatMap(Self.bytes), sampleRate: rate)
    }

    static func silence(_ milliseconds: Int, rate: Int = LiveAudio.inputRate) -> LiveAudio {
        LiveAudio(pcm: [UInt8](repeating: 0, count: rate * milliseconds / 1000 * 2), sampleRate: rate)
    }

    private static func bytes(_ sample: Int16) -> [UInt8] {
        let bits = UInt16(bitPattern: sample)
        return [UInt8(truncatingIfNeeded: bits), UInt8(truncatingIfNeeded: bits >> 8)]
    }
}

extension LiveSession {
    /// The events up to and with the end of the turn, or the end of the session.
    func eventsOfTurn() async throws -> [LiveEvent] {
        var events: [LiveEvent] = []
        while true {
            let event = try await nextEvent()
            events.append(event)
            switch event {
            case .turnComplete, .closed: return events
            default: break
            }
        }
    }
}

extension [LiveEvent] {
    /// All sound, one after the other.
    var sound: LiveAudio {
        reduce(into: LiveAudio(pcm: [], sampleRate: LiveAudio.outputRate)) { sound, event in
            if case .audio(let audio) = event { sound.pcm += audio.pcm }
        }
    }

    var text: String { compactMap { if case .text(let text) = $0 { text } else { nil } }.joined() }
    var spoken: String { compactMap { if case .spoken(let text) = $0 { text.text } else { nil } }.joined() }
    var heard: String { compactMap { if case .heard(let text) = $0 { text.text } else { nil } }.joined() }
    var usage: TokenUsage? { compactMap { if case .usage(let usage) = $0 { usage } else { nil } }.last }
}
