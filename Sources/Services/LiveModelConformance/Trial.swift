import Conformance
import Services

/// A harness on trial, with what cases do again and again.
struct Trial: Sendable {
    let harness: any LiveModelHarness

    init(_ harness: any LiveModelHarness) { self.harness = harness }

    var configuration: LiveConfiguration { harness.configuration }

    /// Does something with a session, which is closed then.
    func withSession<Value: Sendable>(
        _ configuration: LiveConfiguration? = nil,
        _ work: (any LiveSession) async throws -> Value
    ) async throws -> Value {
        let session = try await open(configuration ?? self.configuration)
        let result: Result<Value, any Error>
        do { result = .success(try await work(session)) } catch { result = .failure(error) }
        await session.close()
        return try result.get()
    }

    /// Opens a session.
    func open(_ configuration: LiveConfiguration) async throws -> any LiveSession {
        let model = try await harness.makeModel(.good)
        return try await inTime("a session opens") {
            do throws(LiveModelError) { return try await model.startSession(configuration) } catch {
                throw ConformanceFailure("a session opens", saw: error.description)
            }
        }
    }

    /// Waits for something that must come.
    func inTime<Value: Sendable>(
        _ requirement: String,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask { [patience = harness.patience] in
                try await Task.sleep(for: patience)
                throw ConformanceFailure(requirement, saw: "nothing within \(patience)")
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() else { throw CancellationError() }
            return value
        }
    }

    /// The next event of a session.
    func next(_ session: any LiveSession) async throws -> LiveEvent {
        let event = try await inTime("an event comes") { try await session.nextEvent() }
        try check(noSecretIn: "\(event)")
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
                throw ConformanceFailure("the session stays open", saw: "close \(code), “\(reason)”")
            }
        }
    }

    /// The events of the current turn.
    func turn(_ session: any LiveSession) async throws -> [LiveEvent] {
        try await events(session) { $0 == .turnComplete }
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
        try check(!events.text.isEmpty, "what is said has an answer", saw: "\(events)")
        let prompts = events.compactMap { if case .usage(let usage) = $0 { usage.prompt } else { nil } }
        guard let cost = prompts.max() else {
            throw ConformanceFailure("the cost of a turn comes before its end", saw: "\(events)")
        }
        return cost
    }

    /// Puts something to the session.
    func send(_ input: LiveInput, to session: any LiveSession) async throws {
        do throws(LiveModelError) { try await session.send(input) } catch {
            throw ConformanceFailure("an open session takes what is sent", saw: error.description)
        }
    }

    /// Does something that must fail.
    func failure(
        _ requirement: String,
        _ codes: Set<LiveModelError.Code>,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        do { try await inTime(requirement, work) } catch let error as LiveModelError {
            try check(noSecretIn: error.description)
            try check(codes.contains(error.code), requirement, saw: error.description)
            return
        }
        throw ConformanceFailure(requirement, saw: "success")
    }

    func check(_ condition: Bool, _ requirement: String, saw: @autoclosure () -> String) throws {
        if !condition { throw ConformanceFailure(requirement, saw: saw()) }
    }

    func check(noSecretIn text: String) throws {
        for secret in harness.secrets where text.contains(secret) {
            throw ConformanceFailure("no error and no event shows a secret", saw: "one that does")
        }
    }
}

extension String {
    /// Words that no service counts as fewer than a hundred tokens.
    static let long = (1...100).map { "\($0) apples" }.joined(separator: ", ")
}

extension [LiveEvent] {
    var text: String { compactMap { if case .text(let text) = $0 { text } else { nil } }.joined() }
}
