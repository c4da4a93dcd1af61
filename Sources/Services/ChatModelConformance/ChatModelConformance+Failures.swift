import Conformance
import Services

extension ChatModelConformance {
    /// How streams break and end.
    static let endings: [Case] = [
        Case("stream.break", "a connection that breaks is reported, and no word is new, doubled or moved") {
            trial in
            let text = try await trial.breaking(.breaks(after: ["One ", "two"]), .interrupted)
            try require(
                "One two".hasPrefix(text),
                "what is given is a beginning of “One two”",
                saw: text
            )
        },
        Case("stream.beforeBreak", "what came before a connection breaks is given first", needs: [.delivery])
        {
            trial in
            let text = try await trial.breaking(.breaks(after: ["One ", "two"]), .interrupted)
            try require(text, is: "One two", "what came before is given first")
        },
        Case("stream.failure", "a service that fails in the middle is reported, after what came before") {
            trial in
            let text = try await trial.breaking(.fails(after: ["One"]), .unavailable)
            try require(text, is: "One", "what came before is given first")
        },
        Case("stream.stop", "an answer that stops without an ending is no whole one") { trial in
            let text = try await trial.breaking(.stops(after: ["One ", "two"]), .interrupted)
            try require(text, is: "One two", "what came before is given first")
        },
        Case(
            "stream.cancel",
            "a reader that is cancelled hears so, and ends the request at the service",
            calmBecause: "it waits for a request to come"
        ) { trial in
            let (model, service) = try await trial.model(.fallsSilent(after: ["One"]))
            let reading = trial.reading(model)
            await service.untilAsked()
            reading.cancel()
            try require(await reading.value?.code, is: .cancelled, "the code is cancelled")
            await trial.ends(service)
        },
        Case(
            "stream.cancelLate",
            "a reader that is cancelled in the middle of an answer hears so, and ends the request at the service",
            calmBecause: "it waits for words to come"
        ) { trial in
            let (model, service) = try await trial.model(.fallsSilent(after: ["One"]))
            let (pieces, piece) = AsyncStream.makeStream(of: String.self)
            let reading = trial.reading(model) { piece.yield($0) }
            var words = ""
            for await text in pieces {
                words += text
                if words == "One" { break }
            }
            reading.cancel()
            try require(await reading.value?.code, is: .cancelled, "the code is cancelled")
            await trial.ends(service)
        },
        Case("stream.left", "a reader that stops in the middle of an answer ends the request at the service")
        {
            trial in
            let (model, service) = try await trial.model(.fallsSilent(after: ["One"]))
            let first = try await requireSuccess("a stream begins") { () async throws -> ChatEvent? in
                for try await event in try await model.stream(trial.question) { return event }
                return nil
            }
            try require(first != nil, "a piece comes", saw: "the end")
            await trial.ends(service)
        },
        Case("stream.released", "a stream that nobody holds any more ends its request at the service") {
            trial in
            let (model, service) = try await trial.model(.fallsSilent(after: ["One"]))
            _ = try await trial.stream(model)
            await trial.ends(service)
        },
    ]

    /// Failures before an answer.
    static let failures: [Case] =
        ServiceAnswer.Refusal.allCases.map { refusal in
            Case(
                "failure.\(refusal.rawValue)",
                "a refusal of the kind \(refusal.rawValue) is reported by its code",
                needs: refusal == .invalidKey ? [.keys] : []
            ) { trial in
                let (model, _) = try await trial.model(.refuses(refusal))
                guard let code = ChatModelError.Code(rawValue: refusal.rawValue) else {
                    throw ConformanceFailure("\(refusal) has a code", saw: "none")
                }
                let whole = try await trial.failing("generate tells it", code) {
                    try await model.generate(trial.question)
                }
                try await trial.failing("stream tells it", code) { try await model.stream(trial.question) }
                if trial.harness.capabilities.contains(.tokenCounts) {
                    try await trial.failing("countTokens tells it", code) {
                        try await model.countTokens(trial.question)
                    }
                }
                let mayPass = refusal == .quotaExceeded || refusal == .unavailable
                try require(whole.isTransient, is: mayPass, "whether it may pass is reported")
            }
        } + [
            Case("failure.lost", "a request that may have taken effect is sent once") { trial in
                let (model, service) = try await trial.model(.isLost)
                onceFaultsAreOver {
                    let requests = await service.requests
                    try require(requests <= 1, "one request was sent at most", saw: "\(requests)")
                }
                try await trial.failing("the loss is reported", .interrupted) {
                    try await model.generate(trial.question)
                }
                // Under faults it may not have come.
                if !isUnderFaults { try require(await service.requests, is: 1, "one request was sent") }
            }
        ]
}
