import Conformance
import Services

extension SpeechSynthesizerConformance {
    /// What is cut off by `stop()`.
    static let stopping: [Case] = [
        Case("stop.cutsOff", "a voice that is stopped falls silent at once", needs: [.paced]) { trial in
            let voice = trial.voice
            try await trial.cutOff("a voice that is stopped falls silent") { _ in await voice.stop() }
        },
        Case("stop.silence", "nothing is heard after a stop", needs: [.paced, .heard]) { trial in
            let voice = trial.voice
            try await trial.cutOff("a voice that is stopped falls silent") { _ in await voice.stop() }
            try await Task.sleep(for: .seconds(3))
            try require(try await trial.heard().count, is: 1, "nothing is heard after a stop")
        },
        Case("stop.next", "what is said after a stop is heard whole", needs: [.paced]) { trial in
            let voice = trial.voice
            try await trial.cutOff("a voice that is stopped falls silent") { _ in await voice.stop() }
            try await trial.speak(Trial.sentence)
            try await trial.expectHeard([HeardUtterance(Trial.sentence)], "the next sentence is heard whole")
        },
        Case("stop.idle", "stopping a silent voice is harmless, also twice") { trial in
            let voice = trial.voice
            for _ in 0..<2 {
                try await requireEnd("stopping a silent voice returns", within: trial.patience) {
                    await voice.stop()
                }
            }
            try await trial.speak(Trial.sentence)
            try await trial.expectHeard([HeardUtterance(Trial.sentence)], "the next sentence is heard whole")
        },
        Case("stop.twice", "stopping twice at once is harmless", needs: [.paced]) { trial in
            let voice = trial.voice
            try await trial.cutOff("a voice that is stopped falls silent") { _ in
                async let first: Void = voice.stop()
                async let second: Void = voice.stop()
                _ = await (first, second)
            }
            try await trial.speak(Trial.sentence)
            try await trial.expectHeard([HeardUtterance(Trial.sentence)], "the next sentence is heard whole")
        },
    ]

    /// What is cut off by the cancellation of its task.
    static let cancelling: [Case] = [
        Case("cancel.cutsOff", "a cancelled call falls silent at once", needs: [.paced]) { trial in
            try await trial.cutOff("a cancelled call falls silent") { $0.cancel() }
        },
        Case("cancel.before", "a task that is cancelled already says nothing to its end", needs: [.paced]) {
            trial in
            let (voice, text) = (trial.voice, trial.long)
            let speaking = cancelledTask { await voice.speak(text) }
            try await requireEnd("a call of a cancelled task returns", within: trial.patience) {
                try await speaking.value
            }
            guard trial.isHeard else { return }
            try require(
                try await trial.heard().allSatisfy(\.wasCutOff),
                "a cancelled task says nothing to its end",
                saw: "a text that was heard whole"
            )
        },
        Case("cancel.next", "what is said after a cancelled call is heard whole", needs: [.paced]) { trial in
            try await trial.cutOff("a cancelled call falls silent") { $0.cancel() }
            try await trial.speak(Trial.sentence)
            try await trial.expectHeard([HeardUtterance(Trial.sentence)], "the next sentence is heard whole")
        },
    ]
}
