import Conformance
import Services

extension LiveModelConformance {
    static let turns: [Case] = [
        Case("turn.words", "words are answered in writing, and the turn has an end") { trial in
            try await trial.withSession { session in
                let events = try await trial.answer(to: "What do you see?", in: session)
                try trial.requireAnswer(in: events, "words have an answer")
                let sound = events.contains { if case .audio = $0 { true } else { false } }
                try require(!sound, "a session in writing has no sound", saw: "sound")
            }
        },
        Case("turn.again", "turns follow each other in one session, each with an end of its own") { trial in
            try await trial.withSession { session in
                for _ in 0..<3 {
                    let events = try await trial.answer(to: "And now?", in: session)
                    try trial.requireAnswer(in: events, "each turn has an answer")
                }
            }
        },
        Case("turn.usage", "the cost of a turn comes before its end, and grows", needs: [.usage]) { trial in
            let turns = try await trial.withSession { session in
                let first = try await trial.answer(to: "How are you?", in: session)
                return [first, try await trial.answer(to: "How are you?", in: session)]
            }
            let prompts = turns.flatMap(\.prompts)
            let grows = prompts.count >= 2 && prompts == prompts.sorted() && prompts.first != prompts.last
            try require(grows, "usage grows from turn to turn", saw: "\(prompts)")
        },
        Case(
            "turn.pictures",
            "pictures are taken in silence, and count for the words after them",
            needs: [.usage]
        ) { trial in
            let question = LiveInput.text("What is it?")
            let pictures = Array(repeating: LiveInput.frame(trial.harness.jpeg), count: 3)
            let without = try await trial.cost([question])
            let with = try await trial.cost(pictures + [question])
            try require(with > without, "the service gets the pictures", saw: "\(with) tokens, not more")
        },
        Case("turn.context", "turns of a conversation are answered when they are complete", needs: [.usage]) {
            trial in
            let question = LiveInput.turns([LiveTurn(.user, text: "What is it?")], isComplete: true)
            func earlier(_ parts: [LiveTurn.Part]) -> LiveInput {
                .turns([LiveTurn(.user, parts)], isComplete: false)
            }
            let alone = try await trial.cost([question])
            let words = try await trial.cost([earlier([.text(.long)]), question])
            let picture = try await trial.cost([
                earlier([.text(.long), .jpeg(trial.harness.jpeg)]), question,
            ])
            try require(
                words > alone + 50,
                "the service gets the turns that are not complete",
                saw: "\(words) tokens, and \(alone) without them"
            )
            try require(
                picture > words,
                "the service gets the pictures of turns",
                saw: "\(picture) tokens, and \(words) without one"
            )
        },
        Case("turn.history", "the history of a configuration counts for what is said then", needs: [.usage]) {
            trial in
            var configuration = trial.configuration
            configuration.history = [
                LiveTurn(.user, text: "I am Ann, and have \(String.long)."),
                LiveTurn(.model, text: "Hello Ann."),
            ]
            let question = LiveInput.text("Who am I?")
            let without = try await trial.cost([question])
            let with = try await trial.cost([question], in: configuration)
            try require(
                with > without + 50,
                "the service gets the history",
                saw: "\(with) tokens, and \(without) without one"
            )
        },
        Case("turn.cancelledReader", "a reader that is cancelled ends, and another one misses nothing") {
            trial in
            try await trial.withSession { session in
                try await trial.failure("a cancelled reader throws cancelled", [.cancelled]) {
                    let reader = Task {
                        while true { _ = try await session.nextEvent() }
                    }
                    reader.cancel()
                    try await reader.value
                }
                let events = try await trial.answer(to: "Hello?", in: session)
                try trial.requireAnswer(in: events, "the next reader gets the answer")
            }
        },
    ]
}
