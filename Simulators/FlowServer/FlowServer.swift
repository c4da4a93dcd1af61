internal import Foundation
public import HTTPTypes
// Models the backend of Flow as its app sees it: tokens for a client, sessions of devices, log-in, verification, the three steps, and
// analytics. What is refused, with which status and error code, and in which order things are checked, is in `FlowCalls`; its description as
// OpenAPI 3.1 is served at `/openapi.json`.
//
// Does not model: e-mails with codes (there is one code, which the project names), sessions that end by themselves, several instances behind a
// balancer, storage over restarts, TLS (hosts have it), cross-origin requests.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them.
//
// Compared with the real service: not at all, since there is no public one. Paths, fields and rules follow the public guides of the app as far as
// they go (the paths of tokens and devices, four fields of a device, error bodies, whole seconds of expiry); paths and rules of log-in, verification
// and steps, and all error codes, are this project's own.
public import PeerKit
internal import Synchronization
public import Transport

/// A simulated backend of Flow.
///
/// All requests see one state, and each change happens at once. Safe to use from any task.
public final class FlowServer: Server {
    /// How it is set up.
    public let project: FlowProject
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { FlowFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(FlowServer.faultPoints)

    let tokens: WebToken
    private let state: Mutex<FlowState>
    private let routes = FlowCalls.routes

    /// Bytes of the longest body that is read.
    static let bodyLimit = 65_536

    /// Makes a backend that knows no device.
    public init(_ project: FlowProject = FlowProject()) {
        self.project = project
        tokens = WebToken(secret: project.signingSecret)
        state = Mutex(FlowState(sessionLimit: project.sessionLimit))
    }

    // MARK: Watching

    /// What requests have done, oldest first.
    public var events: [FlowEvent] { state.withLock { $0.events.entries } }

    /// How many requests have come, of any kind.
    public var requestCount: Int { state.withLock { $0.requestCount } }

    /// What a session has sent for a step; `nil` where there is no such session or nothing yet.
    public func stored(step: Int, of sessionID: String) -> JSONValue? {
        state.withLock { $0.sessions[sessionID]?.steps[step].map { .object($0) } }
    }

    /// Whether a session has done all that there is.
    public func isComplete(_ sessionID: String) -> Bool {
        state.withLock { ($0.sessions[sessionID]?.nextStep ?? 0) > FlowSteps.count }
    }

    /// Revokes all tokens that were given: the next call with one of them is refused with 401.
    public func revokeTokens() { state.withLock { $0.generation += 1 } }

    // MARK: Serving

    /// A request of this service neither waits for a disk nor computes for long.
    public var mayBlock: Bool { false }

    /// Answers a request, or as its fault points want it.
    public func respond(
        to request: HTTPRequest,
        body: HTTPBody
    ) async -> (head: HTTPResponse, body: HTTPBody) {
        state.withLock { $0.requestCount += 1 }
        var answer = await faults.answering { await troubled(request, body) }
        // HTTP has no bodies in answers to HEAD; the headers stay.
        if request.method == .head { answer = answer.withoutBody() }
        return answer.response
    }

    private func troubled(_ request: HTTPRequest, _ body: HTTPBody) async -> PeerAnswer {
        if let fault = faults.strike(FlowFaultPoints.empty) {
            return PeerAnswer(status: fault.integer("status"), body: .empty)
        }
        if faults.strike(FlowFaultPoints.revoked) != nil { revokeTokens() }
        let answer: PeerAnswer
        do throws(FlowRefusal) {
            if let fault = faults.strike(FlowFaultPoints.busy) {
                throw .busy(seconds: fault.integer("retryAfter"))
            }
            answer = try await self.answer(request, body)
        } catch {
            note(.refused(path: String(RequestTarget(request).path.prefix(200)), code: error.code))
            let isOther = faults.strike(FlowFaultPoints.otherForm) != nil
            let other: FlowProject.RefusalForm = project.refusals == .status ? .body : .status
            return error.answer(isOther ? other : project.refusals)
        }
        if let fault = faults.strike(FlowFaultPoints.answerLost) {
            try? await Task.sleep(for: fault.time("silence"))
            return .page(status: 504)
        }
        return faults.strike(FlowFaultPoints.answerCut) == nil ? answer : answer.brokenInBody()
    }

    private func answer(_ request: HTTPRequest, _ body: HTTPBody) async throws(FlowRefusal) -> PeerAnswer {
        let call: FlowCalls
        switch routes.match(request) {
        case .found(let found, _): call = found
        case .otherMethod(let allowed): throw .method(allowed)
        case .nowhere: throw .nowhere
        }
        if call == .description { return .json(FlowCalls.openAPI) }
        if call != .token { try checkToken(of: request) }
        let fields = try await fields(of: body)
        return switch call {
        case .token: try giveToken(fields)
        case .device: try beginSession(fields)
        case .login: try logIn(fields)
        case .verification: try verify(fields)
        case .step: try storeStep(fields)
        case .analytics: try track(fields)
        case .description: .json(FlowCalls.openAPI)
        }
    }

    private func checkToken(of request: HTTPRequest) throws(FlowRefusal) {
        let field = request.headerFields[.authorization] ?? ""
        // The scheme's name has no letter case (RFC 9110 section 11.1).
        guard field.lowercased().hasPrefix("bearer "),
            let claims = try? tokens.verify(String(field.dropFirst(7)), now: Date()),
            claims["sub"]?.string == project.clientID,
            claims["generation"]?.integer == state.withLock({ $0.generation })
        else { throw .token }
    }

    private func fields(of body: HTTPBody) async throws(FlowRefusal) -> [String: JSONValue] {
        let bytes: [UInt8]
        do throws(TransportError) {
            bytes = try await body.collect(upTo: Self.bodyLimit, within: .seconds(30))
        } catch {
            throw error.code == .tooLarge ? .tooLarge : .noObject
        }
        guard let fields = (try? JSONValue(json: bytes, depth: 8))?.object else { throw .noObject }
        return fields
    }

    // MARK: State

    func note(_ event: FlowEvent) { state.withLock { $0.events.append(event) } }

    /// Changes the state in one step; what the change says has happened is noted with it.
    func change<Outcome: Sendable>(
        _ body: (inout FlowState) throws(FlowRefusal) -> (Outcome, FlowEvent)
    ) throws(FlowRefusal) -> Outcome {
        let result = state.withLock { state -> Result<Outcome, FlowRefusal> in
            do throws(FlowRefusal) {
                let (outcome, event) = try body(&state)
                state.events.append(event)
                return .success(outcome)
            } catch { return .failure(error) }
        }
        return try result.get()
    }
}
