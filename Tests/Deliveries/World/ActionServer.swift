package import Foundation
package import HTTPTypes
package import PeerKit
internal import Synchronization
package import Transport

// Models a service that takes words: `POST /actions` with `{"number": 1, "lane": "…", "words": "…"}` and an `Idempotency-Key` has an effect, and
// is answered with the number. A key that comes again gets its answer again, and 409 while the first request is under way; the words
// “refused” are answered with 422. Only what had an effect is kept with its key.
//
// Does not model: users, restarts, the end of a key's time. Faults: `faultPoints`. There is no real service to compare it with.

/// A simulated service that takes words, and keeps them in the order of their effects.
package final class ActionServer: Server {
    /// The effect is there, and its answer is not.
    static let answerLost = PeerFaultPoint(
        "actions.answerLost",
        "words have their effect, and the answer is lost",
        .init("silence", 1, in: 0...60)
    )
    /// Somebody on the way sends a request twice.
    static let duplicated = PeerFaultPoint(
        "actions.duplicated",
        "a request arrives a second time",
        .init("seconds", 1, in: 0...600)
    )
    /// A proxy gives up a request, which arrives nevertheless.
    static let late = PeerFaultPoint(
        "actions.late",
        "a proxy answers 504, and brings the request to the service later",
        .init("seconds", 10, in: 0...600)
    )
    /// Where something may go wrong with it.
    package static let faultPoints: [PeerFaultPoint] =
        HTTPFaults.points + [answerLost, duplicated, late]

    /// Words that took effect.
    package struct Effect: Sendable, Hashable {
        /// The number of their wish.
        package var number: Int
        /// When that was, by the service's clock.
        package var date: Date
    }

    private struct Message {
        let key: String
        let number: Int
        let words: String
    }

    private struct State {
        var effects: [Effect] = []
        /// What is under way, and what was answered.
        var keys: [String: JSONValue?] = [:]
        var repetitions = 0
    }

    /// What goes wrong here outside a simulation.
    package let faults: PeerFaults = PeerFaults(ActionServer.faultPoints)
    private let state = Mutex(State())

    /// Makes a service that was never asked.
    package init() {}

    /// What took effect, in that order.
    package var effects: [Effect] { state.withLock { $0.effects } }

    /// How often a key has come again.
    package var repetitions: Int { state.withLock { $0.repetitions } }

    /// Answers a request, or as its fault points want it.
    package func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        await faults.answering { await answer(request, body) }.response
    }

    private func answer(_ request: HTTPRequest, _ body: HTTPBody) async -> PeerAnswer {
        guard request.path == "/actions", request.method == .post else {
            return PeerAnswer(status: 404, body: .empty)
        }
        guard let bytes = try? await body.collect(upTo: 65_536, within: .seconds(30)),
            let json = try? JSONValue(json: bytes), let number = json["number"]?.integer,
            let words = json["words"]?.string, let key = request.headerFields.value("Idempotency-Key")
        else { return .json(["error": "validation_error"], status: 400) }
        let message = Message(key: key, number: number, words: words)
        if let fault = faults.strike(Self.late) {
            bring(message, after: fault)
            return .page(status: 504)
        }
        if let fault = faults.strike(Self.duplicated) { bring(message, after: fault) }
        let answer = await act(on: message)
        if answer.status == 200, let fault = faults.strike(Self.answerLost) {
            try? await Task.sleep(for: fault.time("silence"))
            return .page(status: 504)
        }
        return answer
    }

    private func bring(_ message: Message, after fault: PeerFault) {
        Task { [self] in
            try? await Task.sleep(for: fault.time("seconds"))
            _ = await act(on: message)
        }
    }

    private func act(on message: Message) async -> PeerAnswer {
        guard message.words != "refused" else { return .json(["error": "validation_error"], status: 422) }
        let known = state.withLock { state -> PeerAnswer? in
            guard let answer = state.keys[message.key] else {
                state.keys[message.key] = .some(nil)
                return nil
            }
            state.repetitions += 1
            guard let answer else {
                var busy = PeerAnswer.json(["error": "idempotency_in_progress"], status: 409)
                busy.headers[.retryAfter] = "1"
                return busy
            }
            return .json(answer)
        }
        if let known { return known }
        try? await Task.sleep(for: .milliseconds(Int.random(in: 0...100)))
        let answer: JSONValue = ["number": .integer(message.number)]
        state.withLock { state in
            state.effects.append(Effect(number: message.number, date: Date()))
            state.keys[message.key] = .some(answer)
        }
        return .json(answer)
    }
}
