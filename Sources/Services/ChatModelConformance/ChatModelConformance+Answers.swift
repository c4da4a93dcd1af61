import Conformance
import Services

extension ChatModelConformance {
    private static let words = ["Grüße, ", "你", "好 👩‍👩‍👧", " e\u{301}", "!"]
    private static let cost = TokenUsage(prompt: 3, answer: 5, total: 8)
    private static let greeting = ServiceAnswer.says(words, .finished(.stop, []), cost)

    /// Whole answers.
    static let answers: [Case] =
        [
            Case("answer.whole", "a whole answer has all words as one text, and its ending") { trial in
                let answer = try await trial.answer(.says(words))
                try require(answer.parts, is: [.text(words.joined())], "the words are one part")
                try require(answer.ending, is: .finished(.stop, []), "the ending is reported")
            },
            Case("answer.cost", "a whole answer has its cost", needs: [.costs]) { trial in
                try require(try await trial.answer(greeting).usage, is: cost, "the cost is reported")
            },
            Case("answer.empty", "an answer without words is an empty text, and no error") { trial in
                let (model, _) = try await trial.model(.says([]))
                let text = try await requireSuccess("it is answered") {
                    try await model.text(for: "Hello", model: trial.harness.model)
                }
                try require(text, is: "", "the text is empty")
            },
            Case(
                "answer.blocked",
                "a request that is refused for safety is an answer without words, and no error",
                needs: [.blocking]
            ) { trial in
                let answer = try await trial.answer(.says([], .blocked(.prohibited, [])))
                try require(answer.ending, is: .blocked(.prohibited, []), "the reason is reported")
                try require(answer.text, is: "", "there are no words")
            },
            Case("count.tokens", "tokens are counted as the service says", needs: [.tokenCounts]) { trial in
                let (model, _) = try await trial.model(.counts(31))
                let count = try await requireSuccess("they are counted") {
                    try await model.countTokens(trial.question)
                }
                try require(count, is: 31, "the number is the service's")
            },
        ] + reasons

    /// Answers that the model itself breaks off.
    private static let reasons: [Case] = [
        stopping(.tokenLimit), stopping(.safety, needs: [.safety]),
        stopping(.recitation, needs: [.recitation]),
    ]

    private static func stopping(_ reason: FinishReason, needs: Set<ChatCapability> = []) -> Case {
        Case(
            "answer.\(reason.rawValue)",
            "a model that stops for the reason \(reason.rawValue) says so, and keeps what it said",
            needs: needs
        ) { trial in
            let answer = try await trial.answer(.says(["We"], .finished(reason, [])))
            try require(answer.ending, is: .finished(reason, []), "the reason is reported")
            try require(answer.text, is: "We", "the words are kept")
        }
    }

    /// Answers that come in pieces.
    static let streams: [Case] = [
        Case("stream.order", "pieces come in order, none of them empty, whatever their characters") { trial in
            let (events, error) = try await trial.streamed(.says(words))
            try require(error, is: nil, "the stream ends well")
            try require(events.text, is: words.joined(), "all words come, in order")
            try require(!events.contains(.text("")), "no piece is empty", saw: "one")
            try require(events.endings, is: [.finished(.stop, [])], "there is one ending")
        },
        Case("stream.cost", "the last that a stream says of its cost is all of it", needs: [.costs]) {
            trial in
            let (events, _) = try await trial.streamed(greeting)
            let costs = events.compactMap { if case .usage(let usage) = $0 { usage } else { nil } }
            try require(costs.last, is: cost, "the cost is reported")
        },
        Case(
            "stream.blocked",
            "a request that is refused for safety ends a stream at once, and is no error",
            needs: [.blocking]
        ) { trial in
            let (events, error) = try await trial.streamed(.says([], .blocked(.safety, [])))
            try require(events.endings, is: [.blocked(.safety, [])], "the reason is the ending")
            try require(error, is: nil, "it is no error")
        },
        Case("stream.apart", "streams at the same time do not mix") { trial in
            let (model, _) = try await trial.model(.says(words))
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask { try await trial.read(trial.stream(model)).events.text }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try require(texts, is: Array(repeating: words.joined(), count: 4), "each has all words once")
        },
    ]
}
