import Conformance
import Services

extension LiveModelConformance {
    static let turns: [Case] = [
        Case("turn.words", "words are answered in writing, and the turn has an end") { trial in
            try await trial.withSession { session in
                try await trial.send(.text("What do you see?"), to: session)
                let events = try await trial.turn(session)
                try trial.check(!events.text.isEmpty, "words have an answer", saw: "\(events)")
                let sound = events.contains { if case .audio = $0 { true } else { false } }
                try trial.check(!sound, "a session in writing has no sound", saw: "sound")
            }
        },
        Case("turn.again", "turns follow each other in one session, each with an end of its own") { trial in
            try await trial.withSession { session in
                for _ in 0..<3 {
                    try await trial.send(.text("And now?"), to: session)
                    let events = try await trial.turn(session)
                    try trial.check(!events.text.isEmpty, "each turn has an answer", saw: "\(events)")
                }
            }
        },
        Case("turn.usage", "the cost of a turn comes before its end, and grows") { trial in
            try await trial.withSession { session in
                var prompts: [Int] = []
                for _ in 0..<2 {
                    try await trial.send(.text("How are you?"), to: session)
                    for case .usage(let usage) in try await trial.turn(session) {
                        prompts.append(usage.prompt)
                    }
                }
                let grows = prompts.count >= 2 && prompts == prompts.sorted() && prompts.first != prompts.last
                try trial.check(grows, "usage grows from turn to turn", saw: "\(prompts)")
            }
        },
        Case("turn.pictures", "pictures are taken in silence, and words after them are answered") { trial in
            try await trial.withSession { session in
                for _ in 0..<3 { try await trial.send(.frame(trial.harness.jpeg), to: session) }
                try await trial.send(.text("What is it?"), to: session)
                let events = try await trial.turn(session)
                try trial.check(!events.text.isEmpty, "words after pictures have an answer", saw: "\(events)")
            }
        },
        Case("turn.context", "turns of a conversation are answered when they are complete") { trial in
            try await trial.withSession { session in
                let turns = [LiveTurn(.user, [.text("Look:"), .jpeg(trial.harness.jpeg)])]
                try await trial.send(.turns(turns, isComplete: false), to: session)
                try await trial.send(
                    .turns([LiveTurn(.user, text: "What is it?")], isComplete: true),
                    to: session
                )
                let events = try await trial.turn(session)
                try trial.check(!events.text.isEmpty, "complete turns have an answer", saw: "\(events)")
            }
        },
        Case("turn.history", "the history of a configuration is not answered by itself") { trial in
            var configuration = trial.configuration
            configuration.history = [
                LiveTurn(.user, text: "I am Ann."), LiveTurn(.model, text: "Hello Ann."),
            ]
            try await trial.withSession(configuration) { session in
                try await trial.send(.text("Who am I?"), to: session)
                let events = try await trial.turn(session)
                try trial.check(
                    !events.text.isEmpty,
                    "words after a history have an answer",
                    saw: "\(events)"
                )
            }
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
                try await trial.send(.text("Hello?"), to: session)
                let events = try await trial.turn(session)
                try trial.check(!events.text.isEmpty, "the next reader gets the answer", saw: "\(events)")
            }
        },
    ]
}
