import Conformance
import Services

/// A harness on trial, with what cases do again and again.
struct Trial: Sendable {
    let harness: any LiveModelHarness

    var configuration: LiveConfiguration { harness.configuration }

    /// Does something with a session, which is closed then.
    func withSession<Value: Sendable>(
        _ configuration: LiveConfiguration? = nil,
        _ work: (any LiveSession) async throws -> Value
    ) async throws -> Value {
        let configuration = configuration ?? self.configuration
        let isNew = configuration.resumption == nil
        let session = isNew ? try await open(configuration) : try await resume(configuration)
        let result: Result<Value, any Error>
        do { result = .success(try await work(session)) } catch { result = .failure(error) }
        await session.close()
        return try result.get()
    }

    /// Opens a session.
    func open(_ configuration: LiveConfiguration) async throws -> any LiveSession {
        let model = try await harness.makeModel(.good)
        return try await inTime("a session opens") {
            try await requireSuccess("a session opens") { try await model.startSession(configuration) }
        }
    }

    /// Opens a session that goes on from a handle, whose service may not have seen the end of the session before.
    func resume(_ configuration: LiveConfiguration) async throws -> any LiveSession {
        let model = try await harness.makeModel(.good)
        return try await inTime("a session goes on") {
            while true {
                do { return try await model.startSession(configuration) } catch {
                    guard let error = error as? LiveModelError, error.code == .unavailable else {
                        return try requireSuccess("a session goes on") { throw error }
                    }
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
        }
    }

    /// Waits for something that must come.
    func inTime<Value: Sendable>(
        _ requirement: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await requireEnd(requirement, within: harness.patience, work)
    }

    /// The next event of a session.
    func next(_ session: any LiveSession) async throws -> LiveEvent {
        let event = try await inTime("an event comes") { try await session.nextEvent() }
        try harness.requireNoSecret(in: event)
        return event
    }

    /// The events up to one that meets a condition, with it.
    func events(
        _ session: any LiveSession,
        until isLast: (LiveEvent) -> Bool
    ) async throws -> [LiveEvent] {
        var events: [LiveEvent] = []
        while true {
            let event = try await next(session)
            events.append(event)
            if isLast(event) { return events }
            if case .closed(let code, let reason) = event {
                let cause = session.cause(ofClose: code, reason: reason)
                try giveUp(
                    on: LiveModelError(cause, operation: "receive", peer: "", detail: reason, closeCode: code)
                )
                throw ConformanceFailure("the session stays open", saw: "close \(code), “\(reason)”")
            }
        }
    }

    /// The events of the current turn.
    func turn(_ session: any LiveSession) async throws -> [LiveEvent] {
        try await events(session) { $0 == .turnComplete }
    }

    /// The events of a turn that answers words.
    func answer(to words: String, in session: any LiveSession) async throws -> [LiveEvent] {
        try await send(.text(words), to: session)
        return try await turn(session)
    }

    /// The cost of the first turn of a new session: tokens of all that the service had got by then.
    func cost(_ inputs: [LiveInput], in configuration: LiveConfiguration? = nil) async throws -> Int {
        try await withSession(configuration) { session in
            for input in inputs { try await send(input, to: session) }
            return try await cost(of: turn(session))
        }
    }

    /// The cost of a turn that has an answer.
    func cost(of events: [LiveEvent]) throws -> Int {
        try requireAnswer(in: events, "what is said has an answer")
        guard let cost = events.prompts.max() else {
            throw ConformanceFailure("the cost of a turn comes before its end", saw: "\(events)")
        }
        return cost
    }

    /// Requires that a turn has an answer in writing.
    func requireAnswer(in events: [LiveEvent], _ requirement: String) throws {
        try require(!events.text.isEmpty, requirement, saw: "\(events)")
    }

    /// Puts something to the session.
    func send(_ input: LiveInput, to session: any LiveSession) async throws {
        try await requireSuccess("an open session takes what is sent") { try await session.send(input) }
    }

    /// Does something that must fail.
    func failure(
        _ requirement: String,
        _ codes: Set<LiveModelError.Code>,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let error: LiveModelError = try await requireError(requirement) {
            try await inTime(requirement, work)
        }
        try harness.requireNoSecret(in: error)
        if !codes.contains(error.code) { try giveUp(on: error) }
        try require(codes.contains(error.code), requirement, saw: error.description)
    }
}

extension String {
    /// Words that no service counts as fewer than a hundred tokens.
    static let long = (1...100).map { "\($0) apples" }.joined(separator: ", ")
}

extension [LiveEvent] {
    /// The tokens of what was said to the model, each time that it told them.
    var prompts: [Int] { compactMap { if case .usage(let usage) = $0 { usage.prompt } else { nil } } }
    var text: String { compactMap { if case .text(let text) = $0 { text } else { nil } }.joined() }
}
