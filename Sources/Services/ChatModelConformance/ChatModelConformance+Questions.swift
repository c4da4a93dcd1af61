import Conformance
import Services

extension ChatModelConformance {
    private static let greeting = ServiceAnswer.says(
        ["Good ", "day."],
        .finished(.stop, []),
        TokenUsage(prompt: 3, answer: 5, total: 8)
    )

    /// What holds whatever the words of the service are.
    static let questions: [Case] = [
        Case("question.whole", "a question has an answer in words, which comes to its end") { trial in
            let answer = try await trial.generate(trial.harness.makeModel(like: greeting))
            try require(!answer.text.isEmpty, "the answer has words", saw: "\(answer)")
            try require(answer.ending.isComplete, "the answer comes to its end", saw: "\(answer.ending)")
        },
        Case("question.stream", "a question is answered in pieces with words, then by one ending") { trial in
            let stream = try await trial.stream(trial.harness.makeModel(like: greeting))
            let (events, error) = try await trial.read(stream)
            try require(error, is: nil, "the stream ends well")
            try require(!events.text.isEmpty, "the pieces have words", saw: "\(events)")
            try require(!events.contains(.text("")), "no piece is empty", saw: "one")
            try require(events.endings.map(\.isComplete), is: [true], "there is one ending, a complete one")
        },
        Case("question.cost", "an answer costs what the question and the words cost", needs: [.costs]) {
            trial in
            let usage = try await trial.generate(trial.harness.makeModel(like: greeting)).usage
            try require(
                usage.prompt > 0 && usage.answer > 0 && usage.total >= usage.prompt + usage.answer,
                "question and answer have a cost, and the whole has both",
                saw: "\(usage)"
            )
        },
        Case("question.tokens", "a longer question has more tokens", needs: [.tokenCounts]) { trial in
            let short = try await trial.count("Hello", .counts(1))
            let long = try await trial.count(
                "Hello, " + (1...20).map { "\($0) apples" }.joined(),
                .counts(60)
            )
            try require(short > 0 && long > short, "longer is more", saw: "\(short), then \(long)")
        },
        Case("question.unknownModel", "a model that does not exist is reported as that") { trial in
            let model = try await trial.harness.makeModel(like: .refuses(.notFound))
            var question = trial.question
            question.model = "no-such-model"
            let unknown = question
            try await trial.failing("there is no such model", .notFound) { try await model.generate(unknown) }
        },
    ]
}

extension Trial {
    /// The tokens of a text.
    fileprivate func count(_ text: String, _ answer: ServiceAnswer) async throws -> Int {
        let model = try await harness.makeModel(like: answer)
        return try await requireSuccess("they are counted") {
            try await model.countTokens(ChatRequest(model: harness.model, contents: [.user(text)]))
        }
    }
}
