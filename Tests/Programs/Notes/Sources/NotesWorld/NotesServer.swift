public import HTTPTypes
public import PeerKit
import Synchronization
public import Transport

// Models a service that stores notes: `POST /notes` with `{"id": 1, "text": "…"}` and an `Idempotency-Key` stores a note, and `GET /notes`
// lists them by their numbers. A key that comes again gets the answer that it got, and nothing is stored.
//
// Does not model: users, restarts, more notes than fit into memory. Faults: `faultPoints`. There is no real service to compare it with.

/// A simulated service that stores notes.
public final class NotesServer: Server {
    /// An answer that never comes, though the note is stored.
    static let answerLost = PeerFaultPoint(
        "notes.answerLost",
        "a note is stored, and the answer is lost",
        .init("silence", 1, in: 0...60)
    )
    /// Where something may go wrong with it.
    public static let faultPoints: [PeerFaultPoint] = HTTPFaults.points + [answerLost]

    private enum Route { case store, list }

    private struct State {
        var notes: [(id: Int, text: String)] = []
        /// What was answered, by the key of the request.
        var answers: [String: JSONValue] = [:]
        var repetitions = 0
    }

    /// What goes wrong here outside a simulation.
    public let faults: PeerFaults = PeerFaults(NotesServer.faultPoints)
    private let routes: PeerRoutes<Route>
    private let state = Mutex(State())

    /// Makes a service without notes.
    public init() {
        var routes = PeerRoutes<Route>()
        routes.on(.post, "/notes", .store)
        routes.on(.get, "/notes", .list)
        self.routes = routes
    }

    /// The texts that it has, in the order of their numbers.
    public var notes: [String] { state.withLock { $0.notes.sorted { $0.id < $1.id }.map(\.text) } }

    /// How often a key has come again.
    public var repetitions: Int { state.withLock { $0.repetitions } }

    /// Answers a request, or as its fault points want it.
    public func respond(to request: HTTPRequest, body: HTTPBody) async -> (head: HTTPResponse, body: HTTPBody)
    {
        await faults.answering { await answer(request, body) }.response
    }

    private func answer(_ request: HTTPRequest, _ body: HTTPBody) async -> PeerAnswer {
        switch routes.match(request) {
        case .found(.store, _): await store(request, body)
        case .found(.list, _): .json(.array(notes.map { .string($0) }))
        case .otherMethod: PeerAnswer(status: 405, body: .empty)
        case .nowhere: PeerAnswer(status: 404, body: .empty)
        }
    }

    private func store(_ request: HTTPRequest, _ body: HTTPBody) async -> PeerAnswer {
        guard let bytes = try? await body.collect(upTo: 65_536, within: .seconds(30)),
            let note = try? JSONValue(json: bytes), let id = note["id"]?.integer,
            let text = note["text"]?.string,
            let key = request.headerFields.value("Idempotency-Key")
        else { return .json(["error": "a note has an id and a text, and its request a key"], status: 400) }
        let answer = state.withLock { state in
            if let answer = state.answers[key] {
                state.repetitions += 1
                return answer
            }
            let answer: JSONValue = ["id": .integer(id)]
            state.notes.append((id, text))
            state.answers[key] = answer
            return answer
        }
        if let fault = faults.strike(Self.answerLost) {
            try? await Task.sleep(for: fault.time("silence"))
            return .page(status: 504)
        }
        return .json(answer)
    }
}
