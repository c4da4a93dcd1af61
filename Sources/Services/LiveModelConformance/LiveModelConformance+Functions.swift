import Conformance
import Services

extension LiveModelConformance {
    private static let name = "look_around"

    static let functions: [Case] = [
        Case(
            "function.answer",
            "a function that is called holds its turn open, and its answer is used",
            needs: [.functions]
        ) { trial in
            try await trial.withSession(withFunction(trial)) { session in
                let calls = try await call(trial, session)
                try await trial.send(
                    .toolResponses(calls.map { LiveToolResponse(to: $0, values: ["output": "a cat"]) }),
                    to: session
                )
                let events = try await trial.turn(session)
                try trial.requireAnswer(in: events, "the answer goes on")
            }
        },
        Case(
            "function.interrupted",
            "words while a function is awaited take its call back",
            needs: [.functions]
        ) { trial in
            try await trial.withSession(withFunction(trial)) { session in
                let calls = try await call(trial, session)
                let events = try await trial.answer(to: "Never mind.", in: session)
                let isTakenBack = events.contains(.toolCallCancelled(ids: calls.map(\.id)))
                try require(isTakenBack, "the call is taken back", saw: "\(events)")
            }
        },
    ]

    private static func withFunction(_ trial: Trial) -> LiveConfiguration {
        var configuration = trial.configuration
        configuration.tools = [.function(FunctionDeclaration(name: name, summary: "Looks around."))]
        return configuration
    }

    /// Has the model call the function.
    private static func call(_ trial: Trial, _ session: any LiveSession) async throws -> [LiveToolCall] {
        try await trial.send(.text("Please call \(name)."), to: session)
        let events = try await trial.events(session) {
            switch $0 {
            case .toolCall, .turnComplete: true
            default: false
            }
        }
        guard case .toolCall(let calls)? = events.last, !calls.isEmpty else {
            throw ConformanceFailure("the turn waits for a call", saw: "\(events)")
        }
        let areNamed = calls.allSatisfy { $0.name == name && !$0.id.isEmpty }
        try require(areNamed, "a call has the function's name and a number", saw: "\(calls)")
        return calls
    }
}
