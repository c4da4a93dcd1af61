import Conformance
import Services

extension LiveModelConformance {
    static let sound: [Case] = [
        Case(
            "sound.spoken",
            "an answer in sound is whole samples, and its words come along",
            needs: [.speech]
        ) {
            trial in
            var configuration = trial.configuration
            configuration.answer = .speech()
            configuration.transcribesOutput = true
            try await trial.withSession(configuration) { session in
                let events = try await trial.answer(to: "Say something.", in: session)
                let pieces = events.compactMap { if case .audio(let piece) = $0 { piece } else { nil } }
                try require(!pieces.isEmpty, "the answer is spoken", saw: "no sound")
                try require(pieces.allSatisfy(\.isWhole), "sound is whole samples", saw: "something else")
                try require(events.text.isEmpty, "a spoken answer is not written", saw: events.text)
                let words = events.compactMap { if case .spoken(let piece) = $0 { piece.text } else { nil } }
                try require(!words.joined().isEmpty, "what is spoken is written down", saw: "nothing")
            }
        },
        Case("sound.heard", "speech is answered when the microphone is turned off", needs: [.hearing]) {
            trial in
            var configuration = trial.configuration
            configuration.transcribesInput = true
            try await trial.withSession(configuration) { session in
                for piece in pieces { try await trial.send(.audio(piece), to: session) }
                try await trial.send(.audioStreamEnd, to: session)
                let events = try await trial.turn(session)
                try trial.requireAnswer(in: events, "speech has an answer")
                let words = events.compactMap { if case .heard(let piece) = $0 { piece.text } else { nil } }
                try require(!words.joined().isEmpty, "what is heard is written down", saw: "nothing")
            }
        },
        Case("sound.marks", "speech between two marks is answered after the second", needs: [.marks]) {
            trial in
            var configuration = trial.configuration
            configuration.activity = LiveActivity(detection: .manual)
            try await trial.withSession(configuration) { session in
                try await trial.send(.activityStart, to: session)
                for piece in pieces { try await trial.send(.audio(piece), to: session) }
                try await trial.send(.activityEnd, to: session)
                let events = try await trial.turn(session)
                try trial.requireAnswer(in: events, "marked speech has an answer")
            }
        },
    ]

    /// A second of a tone, in pieces of 100 ms.
    private static let pieces: [LiveAudio] = (0..<10).map { _ in
        let samples = (0..<LiveAudio.inputRate / 10).flatMap { sample -> [UInt8] in
            sample / 20 % 2 == 0 ? [0, 0x20] : [0, 0xE0]
        }
        return LiveAudio(pcm: samples)
    }
}
