import Conformance
import Services

extension LiveModelConformance {
    static let endings: [Case] = [
        Case("end.closed", "a session that was closed says so, again and again") { trial in
            let session = try await trial.open(trial.configuration)
            await session.close()
            for _ in 0..<3 {
                let event = try await trial.next(session)
                guard case .closed = event else {
                    throw ConformanceFailure("the end is reported each time", saw: "\(event)")
                }
            }
        },
        Case("end.twice", "closing twice is harmless, and both return") { trial in
            let session = try await trial.open(trial.configuration)
            try await trial.inTime("closing returns") {
                async let first: Void = session.close()
                await session.close()
                await first
                await session.close()
            }
        },
        Case("end.sending", "what is sent to a session that was closed fails as closed") { trial in
            let session = try await trial.open(trial.configuration)
            await session.close()
            for input in [LiveInput.text("Hello?"), .frame(trial.harness.jpeg), .activityStart] {
                try await trial.failure("sending after the end throws closed", [.closed]) {
                    try await session.send(input)
                }
            }
        },
        Case("end.reader", "a reader that waits learns of a close by its own side") { trial in
            let session = try await trial.open(trial.configuration)
            let reader = Task {
                try await trial.events(session) { if case .closed = $0 { true } else { false } }
            }
            await session.close()
            let events = try await reader.value
            guard case .closed? = events.last else {
                throw ConformanceFailure("a waiting reader gets the end", saw: "\(events)")
            }
        },
        Case("end.badInput", "what no service could read is refused, and the session lives on") { trial in
            try await trial.withSession { session in
                let inputs: [LiveInput] = [
                    .audio(LiveAudio(pcm: [1])), .audio(LiveAudio(pcm: [1, 2], sampleRate: 0)),
                    .toolResponses([
                        LiveToolResponse(id: "1", name: "f", values: ["output": .number(.infinity)])
                    ]),
                ]
                for input in inputs {
                    try await trial.failure("input that makes no sense is rejected", [.rejected]) {
                        try await session.send(input)
                    }
                }
                let events = try await trial.answer(to: "Hello?", in: session)
                try trial.requireAnswer(in: events, "the session lives on")
            }
        },
    ]
}
