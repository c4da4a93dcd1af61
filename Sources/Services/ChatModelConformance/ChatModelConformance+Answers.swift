import Conformance
import Services

extension ChatModelConformance {
    private static let words = ["Grüße, ", "你", "好 👩‍👩‍👧", " e\u{301}", "!"]
    private static let cost = TokenUsage(prompt: 3, answer: 5, total: 8)

    /// Whole answers.
    static let answers: [Case] =
        [
            Case("answer.whole", "a whole answer has all words as one text, and its ending") { bench in
                let (model, _) = try await bench.model(.says(words, .finished(.stop, []), cost))
                let answer = try await bench.succeeding("it is answered") { () async throws(ChatModelError) in
                    try await model.generate(Bench.question)
                }
                try bench.expect(answer.parts, [.text(words.joined())], "the words are one part")
                try bench.expect(answer.ending, .finished(.stop, []), "the ending is reported")
            },
            Case("answer.cost", "a whole answer has its cost", needs: [.costs]) { bench in
                let (model, _) = try await bench.model(.says(words, .finished(.stop, []), cost))
                let answer = try await bench.succeeding("it is answered") { () async throws(ChatModelError) in
                    try await model.generate(Bench.question)
                }
                try bench.expect(answer.usage, cost, "the cost is reported")
            },
            Case("answer.empty", "an answer without words is an empty text, and no error") { bench in
                let (model, _) = try await bench.model(.says([]))
                let text = try await bench.succeeding("it is answered") { () async throws(ChatModelError) in
                    try await model.text(for: "Hello", model: "conformance")
                }
                try bench.expect(text, "", "the text is empty")
            },
            Case(
                "answer.blocked",
                "a request that is refused for safety is an answer without words, and no error",
                needs: [.blocking]
            ) { bench in
                let (model, _) = try await bench.model(.says([], .blocked(.prohibited, [])))
                let answer = try await bench.succeeding("it is answered") { () async throws(ChatModelError) in
                    try await model.generate(Bench.question)
                }
                try bench.expect(answer.ending, .blocked(.prohibited, []), "the reason is reported")
                try bench.expect(answer.text, "", "there are no words")
            },
            Case("count.tokens", "tokens are counted as the service says", needs: [.tokenCounts]) { bench in
                let (model, _) = try await bench.model(.counts(31))
                let count = try await bench.succeeding("they are counted") {
                    () async throws(ChatModelError) in
                    try await model.countTokens(Bench.question)
                }
                try bench.expect(count, 31, "the number is the service's")
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
        ) { bench in
            let (model, _) = try await bench.model(.says(["We"], .finished(reason, [])))
            let answer = try await bench.succeeding("it is answered") { () async throws(ChatModelError) in
                try await model.generate(Bench.question)
            }
            try bench.expect(answer.ending, .finished(reason, []), "the reason is reported")
            try bench.expect(answer.text, "We", "the words are kept")
        }
    }

    /// Answers that come in pieces.
    static let streams: [Case] = [
        Case("stream.order", "pieces come in order, none of them empty, whatever their characters") { bench in
            let (model, _) = try await bench.model(.says(words, .finished(.stop, []), cost))
            let (events, error) = try await bench.read(
                try await bench.succeeding("a stream begins") { () async throws(ChatModelError) in
                    try await model.stream(Bench.question)
                }
            )
            if let error { throw ConformanceFailure("the stream ends well", saw: error.description) }
            try bench.expect(events.text, words.joined(), "all words come, in order")
            if events.contains(.text("")) { throw ConformanceFailure("no piece is empty", saw: "one") }
            try bench.expect(events.endings, [.finished(.stop, [])], "there is one ending")
        },
        Case("stream.cost", "the last that a stream says of its cost is all of it", needs: [.costs]) {
            bench in
            let (model, _) = try await bench.model(.says(words, .finished(.stop, []), cost))
            let (events, _) = try await bench.read(
                try await bench.succeeding("a stream begins") { () async throws(ChatModelError) in
                    try await model.stream(Bench.question)
                }
            )
            let costs = events.compactMap { if case .usage(let usage) = $0 { usage } else { nil } }
            try bench.expect(costs.last, cost, "the cost is reported")
        },
        Case(
            "stream.blocked",
            "a request that is refused for safety ends a stream at once, and is no error",
            needs: [.blocking]
        ) { bench in
            let (model, _) = try await bench.model(.says([], .blocked(.safety, [])))
            let (events, error) = try await bench.read(
                try await bench.succeeding("a stream begins") { () async throws(ChatModelError) in
                    try await model.stream(Bench.question)
                }
            )
            try bench.expect(events.endings, [.blocked(.safety, [])], "the reason is the ending")
            if let error { throw ConformanceFailure("it is no error", saw: error.description) }
        },
        Case("stream.apart", "streams at the same time do not mix") { bench in
            let (model, _) = try await bench.model(.says(words))
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let stream = try await bench.succeeding("a stream begins") {
                            () async throws(ChatModelError) in try await model.stream(Bench.question)
                        }
                        return try await bench.read(stream).events.text
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try bench.expect(texts, Array(repeating: words.joined(), count: 4), "each has all words once")
        },
    ]
}
