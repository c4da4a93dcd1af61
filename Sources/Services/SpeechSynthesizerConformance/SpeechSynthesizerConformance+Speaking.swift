import Conformance
import Services

extension SpeechSynthesizerConformance {
    /// What is said to its end.
    static let speaking: [Case] = [
        Case("speak.returns", "a call returns when its sentence was heard, whole") { trial in
            try await trial.speak(Trial.sentence)
            try await trial.expectHeard([HeardUtterance(Trial.sentence)], "a sentence is heard whole")
        },
        Case("speak.order", "sentences are heard one after the other, each whole and once", needs: [.heard]) {
            trial in
            let texts = ["The first.", "The second. And more.", "The third.", "The third."]
            for text in texts { try await trial.speak(text) }
            try require(try await trial.heard().count, is: texts.count, "each sentence is heard once")
            try await trial.expectHeard(texts.map { HeardUtterance($0) }, "sentences are heard in order")
        },
        Case("speak.lasts", "a call lasts as long as its text is heard", needs: [.paced]) { trial in
            for count in [1, 4] {
                let text = Array(repeating: Trial.sentence, count: count).joined(separator: " ")
                let begun = ContinuousClock.now
                try await trial.speak(text)
                let time = ContinuousClock.now - begun
                // Nobody understands four times the pace of reading aloud; how late a busy machine is says nothing.
                try require(
                    time >= .seconds(Double(text.count) / 60),
                    "a call lasts as long as its text is heard",
                    saw: "\(time) for \(text.count) characters"
                )
            }
        },
        Case("speak.nothing", "a text without words returns, and the next sentence is heard") { trial in
            for text in ["", " ", "\n\t", "…"] { try await trial.speak(text) }
            try await trial.speak(Trial.sentence)
            try await trial.expectHeard([HeardUtterance(Trial.sentence)], "the next sentence is heard")
        },
        Case("speak.letters", "a text of any letters is said as it is", needs: [.heard]) { trial in
            let texts = [
                #"He said: "It's 5 o'clock; rm -rf $HOME `id`""#, "--version", "<speak>one & two</speak>",
                "line one\nline two", "Grüße 👋🏽",
            ]
            for text in texts { try await trial.speak(text) }
            try await trial.expectHeard(texts.map { HeardUtterance($0) }, "a text is said as it is")
        },
    ]
}
