import Conformance
import Services

extension LiveModelConformance {
    static let sessions: [Case] = [
        Case("session.missingKey", "without a key no session opens, and the error says so", needs: [.keys]) {
            trial in
            let model = try await trial.harness.makeModel(.none)
            try await trial.failure("without a key the error is missingKey", [.missingKey]) {
                _ = try await model.startSession(trial.configuration)
            }
        },
        Case(
            "session.badKey",
            "a key that is not accepted is reported as that, without the key",
            needs: [.keys]
        ) {
            trial in
            let model = try await trial.harness.makeModel(.bad)
            try await trial.failure("a wrong key is invalidKey", [.invalidKey]) {
                _ = try await model.startSession(trial.configuration)
            }
        },
        Case("session.unknownModel", "a model that does not exist is refused") { trial in
            let model = try await trial.harness.makeModel(.good)
            var configuration = trial.configuration
            configuration.model = "no-such-model"
            let unknown = configuration
            try await trial.failure("a model that does not exist is rejected", [.rejected]) {
                _ = try await model.startSession(unknown)
            }
        },
        Case("session.cancelledStart", "a start that is cancelled ends, as cancelled") { trial in
            let model = try await trial.harness.makeModel(.good)
            try await trial.failure("a cancelled start throws cancelled", [.cancelled]) {
                let start = Task {
                    _ = try await model.startSession(trial.configuration)
                }
                start.cancel()
                try await start.value
            }
        },
        Case("session.apart", "sessions of one model know nothing of each other") { trial in
            let model = try await trial.harness.makeModel(.good)
            let first = try await model.startSession(trial.configuration)
            let second = try await model.startSession(trial.configuration)
            await first.close()
            try await trial.send(.text("Hello?"), to: second)
            let events = try await trial.turn(second)
            await second.close()
            try trial.requireAnswer(in: events, "the other session answers")
        },
        Case(
            "session.resumption",
            "a session goes on from the handle of another that was closed",
            needs: [.resumption, .usage]
        ) { trial in
            let (cost, handle) = try await trial.withSession { session in
                let events = try await trial.answer(to: "I have \(String.long).", in: session)
                var handle = events.handle
                while handle == nil {
                    handle = try await [trial.next(session)].handle
                }
                return (try trial.cost(of: events), handle)
            }
            try require(handle?.isEmpty == false, "a handle is not empty", saw: "“\(handle ?? "")”")
            var configuration = trial.configuration
            configuration.resumption = handle
            let later = try await trial.cost([.text("And now?")], in: configuration)
            try require(
                later > cost,
                "a session that goes on has all that was said before",
                saw: "\(later) tokens, and \(cost) before"
            )
        },
        Case(
            "session.unknownHandle",
            "a handle that the service does not know is refused, and no session opens",
            needs: [.resumption]
        ) { trial in
            let model = try await trial.harness.makeModel(.good)
            var configuration = trial.configuration
            configuration.resumption = "no-such-handle"
            let stale = configuration
            try await trial.failure(
                "an unknown handle is rejected or unavailable",
                [.rejected, .unavailable]
            ) {
                _ = try await model.startSession(stale)
            }
        },
    ]
}

extension [LiveEvent] {
    /// The newest handle.
    fileprivate var handle: String? {
        compactMap { if case .resumable(let handle) = $0 { handle } else { nil } }.last
    }
}
