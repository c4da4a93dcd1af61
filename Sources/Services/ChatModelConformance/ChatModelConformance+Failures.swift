import Conformance
import Services

extension ChatModelConformance {
    /// How streams break and end.
    static let endings: [Case] = [
        Case("stream.break", "a connection that breaks is reported, and no word is new, doubled or moved") {
            bench in
            let text = try await bench.breaking(.breaks(after: ["One ", "two"]), [.interrupted])
            guard "One two".hasPrefix(text) else {
                throw ConformanceFailure("what is given is a beginning of “One two”", saw: text)
            }
        },
        Case("stream.beforeBreak", "what came before a connection breaks is given first", needs: [.delivery])
        {
            bench in
            let text = try await bench.breaking(.breaks(after: ["One ", "two"]), [.interrupted])
            try bench.expect(text, "One two", "what came before is given first")
        },
        Case("stream.failure", "a service that fails in the middle is reported, after what came before") {
            bench in
            let text = try await bench.breaking(.fails(after: ["One"]), [.unavailable])
            try bench.expect(text, "One", "what came before is given first")
        },
        Case("stream.stop", "an answer that stops without an ending is no whole one") { bench in
            let text = try await bench.breaking(.stops(after: ["One ", "two"]), [.interrupted])
            try bench.expect(text, "One two", "what came before is given first")
        },
        Case("stream.cancel", "a reader that is cancelled hears so, and ends the request at the service") {
            bench in
            let (model, service) = try await bench.model(.fallsSilent(after: ["One"]))
            let reading = Task { () async -> ChatModelError? in
                do throws(ChatModelError) {
                    for try await _ in try await model.stream(Bench.question) {}
                    return nil
                } catch {
                    return error
                }
            }
            await service.untilAsked()
            reading.cancel()
            let code = await reading.value?.code
            try bench.expect(code, .cancelled, "the code is cancelled")
            await service.untilIdle()
        },
        Case(
            "stream.cancelLate",
            "a reader that is cancelled in the middle of an answer hears so, and ends the request at the service"
        ) { bench in
            let (model, service) = try await bench.model(.fallsSilent(after: ["One"]))
            let (pieces, piece) = AsyncStream.makeStream(of: String.self)
            let reading = Task { () async -> ChatModelError? in
                do throws(ChatModelError) {
                    for try await event in try await model.stream(Bench.question) {
                        if case .text(let text) = event { piece.yield(text) }
                    }
                    return nil
                } catch {
                    return error
                }
            }
            var words = ""
            for await text in pieces {
                words += text
                if words == "One" { break }
            }
            reading.cancel()
            let code = await reading.value?.code
            try bench.expect(code, .cancelled, "the code is cancelled")
            await service.untilIdle()
        },
        Case("stream.left", "a reader that stops in the middle of an answer ends the request at the service")
        {
            bench in
            let (model, service) = try await bench.model(.fallsSilent(after: ["One"]))
            let first = try await bench.succeeding("a stream begins") { () async throws(ChatModelError) in
                for try await event in try await model.stream(Bench.question) { return event as ChatEvent? }
                return nil
            }
            if first == nil { throw ConformanceFailure("a piece comes", saw: "the end") }
            await service.untilIdle()
        },
        Case("stream.released", "a stream that nobody holds any more ends its request at the service") {
            bench in
            let (model, service) = try await bench.model(.fallsSilent(after: ["One"]))
            _ = try await bench.succeeding("a stream begins") { () async throws(ChatModelError) in
                try await model.stream(Bench.question)
            }
            await service.untilIdle()
        },
    ]

    /// Failures before an answer.
    static let failures: [Case] =
        ServiceAnswer.Refusal.allCases.map { refusal in
            Case(
                "failure.\(refusal.rawValue)",
                "a refusal of the kind \(refusal.rawValue) is reported by its code",
                needs: refusal == .invalidKey ? [.keys] : []
            ) { bench in
                let (model, _) = try await bench.model(.refuses(refusal))
                guard let code = ChatModelError.Code(rawValue: refusal.rawValue) else {
                    throw ConformanceFailure("\(refusal) has a code", saw: "none")
                }
                let whole = try await bench.failing("generate tells it", [code]) {
                    () async throws(ChatModelError) in
                    try await model.generate(Bench.question)
                }
                try await bench.failing("stream tells it", [code]) { () async throws(ChatModelError) in
                    try await model.stream(Bench.question)
                }
                if bench.can(.tokenCounts) {
                    try await bench.failing("countTokens tells it", [code]) {
                        () async throws(ChatModelError) in
                        try await model.countTokens(Bench.question)
                    }
                }
                let mayPass = refusal == .quotaExceeded || refusal == .unavailable
                try bench.expect(whole.isTransient, mayPass, "whether it may pass is reported")
            }
        } + [
            Case("failure.lost", "a request that may have taken effect is sent once") { bench in
                let (model, service) = try await bench.model(.isLost)
                try await bench.failing("the loss is reported", [.interrupted]) {
                    () async throws(ChatModelError) in
                    try await model.generate(Bench.question)
                }
                try bench.expect(service.requests, 1, "one request was sent")
            }
        ]
}
