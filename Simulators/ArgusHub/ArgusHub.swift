internal import Foundation
public import HTTPTypes
// Models the home hub of Argus as its app sees it over HTTP: pairing by a code, access and refresh tokens, events with their pictures, cameras,
// push tokens, and the pushes that follow events. It speaks the dialect of the app's own description, or that of the public hub: what is refused, with which
// status and in which order things are checked, is in `HubCall` and the files next to it; `/openapi.json` describes the one that is spoken as OpenAPI 3.1.
//
// Does not model: accounts of the hub's users (one admin token stands for its web page), detection in pictures (rules and scripts make the events),
// WebSocket and live video, quiet hours, discovery on the link, the relay, APNs itself (`HubPushes` is where it begins), storage over restarts, TLS
// (hosts have it); of the public hub's dialect: filters of events, signed addresses of pictures, snapshots, and most of some sixty fields of an event.
// A client is known by its device ID alone, since a server does not see addresses. An access token outlives the refresh tokens of
// its family, as at the public hub.
//
// Faults: fault points, which `faults` lists: plans of faults, swarms, worlds and tests arm them.
//
// Compared with the real service: paths, bodies and limits follow the app's description; forms of errors and timestamps, letter case of `Bearer`,
// six digits and five minutes of codes, 64 bytes and 30 seconds of grace of refresh tokens follow runs of the public hub, and so do the calls and bodies of its dialect.
public import PeerKit
internal import Synchronization
public import Transport

/// A simulated home hub: it pairs with apps, lists what its cameras have seen, and sends pushes about it.
///
/// All requests see one state, and each change happens at once. Safe to use from any task.
public final class ArgusHub: Server {
    /// How it is set up.
    public let project: ArgusProject
    /// Where something may go wrong at every such service.
    public static var faultPoints: [PeerFaultPoint] { HubFaultPoints.points }
    /// What goes wrong here outside a simulation; see `PeerFaults`.
    public let faults: PeerFaults = PeerFaults(ArgusHub.faultPoints)

    let pushes: (any HubPushes)?
    let tokens: WebToken
    let pictures = EventPictures()
    private let routes: PeerRoutes<HubCall>
    private let state: Mutex<HubState>

    /// Bytes of the longest body that is read.
    static let bodyLimit = 65_536

    /// Makes a hub with which no app is paired.
    ///
    /// - Parameters:
    ///   - project: How it is set up.
    ///   - pushes: What takes the pushes; without it none is sent.
    public init(_ project: ArgusProject = ArgusProject(), pushes: (any HubPushes)? = nil) {
        self.project = project
        self.pushes = pushes
        tokens = WebToken(secret: project.signingSecret)
        routes = HubCall.routes(of: project.dialect)
        state = Mutex(HubState(project))
    }

    // MARK: Watching

    /// What has happened, oldest first.
    public var log: [ArgusHubEvent] { state.withLock { $0.log.entries } }

    /// How many requests have come, of any kind; those too that a fault of the way kept from the hub.
    public var requestCount: Int { state.withLock { $0.requestCount } }

    /// The push tokens of devices, by the IDs of devices.
    public var pushTokens: [(device: String, token: String)] {
        state.withLock { state in
            state.registrations.map { ($0.key, $0.value.token) }.sorted { $0.0 < $1.0 }
        }
    }

    /// The events, newest first.
    public var events: [HubEvent] { state.withLock { $0.events.entries.map(\.event) } }

    // MARK: Acting

    /// Shows a new pairing code: six digits, for one use; in the dialect of the public hub only a phone asks for codes.
    public func makeCode() -> String { state.withLock { $0.codes.make(at: .now) } }

    /// The codes that phones have asked for and nobody has agreed to yet, newest first.
    public var waitingCodes: [String] { state.withLock { $0.codes.pending(at: .now).map(\.code) } }

    /// Agrees to a code that a phone has asked for, as a person at the hub does, and says whether it waited for that.
    public func confirm(_ code: String) -> Bool {
        state.withLock { (try? $0.codes.confirm(code, at: .now)) != nil }
    }

    /// Gives a device what a pairing would give it.
    public func makeTokens(for device: String) -> (access: String, refresh: String) {
        let refresh = state.withLock { state in
            _ = state.row(of: device)
            return state.refreshTokens.begin(for: device, at: .now)
        }
        return (accessToken(for: device, seconds: project.tokenLifetime), refresh)
    }

    /// Adds an event, in place of one of the same ID, and has a push sent to each device.
    public func add(_ event: HubEvent) {
        state.withLock { $0.add(event) }
        announce(event)
    }

    /// Removes an event, if it is there.
    public func removeEvent(_ id: String) { state.withLock { _ = $0.removeEvent(id) } }

    /// Revokes all access tokens that were given: the next call with one of them is refused with 401.
    public func revokeAccessTokens() { state.withLock { $0.revokedTokens = $0.tokenCount } }

    /// Revokes all refresh tokens of a device; its access tokens are valid until they expire.
    public func revokeFamily(of device: String) {
        state.withLock { state in
            let count = state.refreshTokens.revokeAll(of: device)
            state.log.append(.revoked(device: device, count: count))
        }
    }

    /// Makes the events of the project's rules when they are due, until it is cancelled or no rule makes any more.
    ///
    /// The hub's clock starts with this call or with the first request, whichever comes first; requests make what is due as well.
    public func run() async {
        while !Task.isCancelled {
            makeDueEvents()
            guard let next = state.withLock({ $0.rules.nextEvent }) else { return }
            // The clock may be set meanwhile.
            let wait = min(60, max(0.001, next.timeIntervalSince(Date())))
            do { try await Task.sleep(for: .seconds(wait)) } catch { return }
        }
    }

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
        let answer: PeerAnswer
        do throws(HubRefusal) {
            let content = try await content(of: request, body)
            if faults.strike(HubFaultPoints.failure) != nil { return .failure }
            if faults.strike(HubFaultPoints.missing) != nil { throw .nowhere }
            if faults.strike(HubFaultPoints.schema) != nil {
                throw .schema("body", "field", "Field required", input: content ?? .null, kind: "missing")
            }
            if let fault = faults.strike(HubFaultPoints.busy) {
                let status = fault.integer("status") == 429 ? 429 : 503
                throw .busy(status: status, seconds: fault.integer("retryAfter"))
            }
            if faults.strike(HubFaultPoints.revoked) != nil { revokeAccessTokens() }
            makeDueEvents()
            answer = try await self.answer(request, content)
        } catch {
            note(.refused(path: String(RequestTarget(request).path.prefix(200)), status: error.status))
            return error.answer
        }
        if let fault = faults.strike(HubFaultPoints.answerLost) { return await .lost(fault) }
        if faults.strike(HubFaultPoints.malformed) != nil { return .json(["result": []]) }
        return faults.strike(HubFaultPoints.answerCut) == nil ? answer : answer.brokenInBody()
    }

    private func answer(
        _ request: HTTPRequest,
        _ content: JSONValue?
    ) async throws(HubRefusal) -> PeerAnswer {
        let call: HubCall
        let values: [String: String]
        switch routes.match(request) {
        case .found(let found, let segments): (call, values) = (found, segments)
        case .otherMethod(let allowed): throw .method(allowed)
        case .nowhere:
            // What is not there is behind the wall, too.
            _ = try caller(of: request)
            throw .nowhere
        }
        if call.access == .everybody { return try await answer(call, values, content) }
        let caller = try caller(of: request)
        let id = values["id"] ?? ""
        switch (call.access, caller) {
        case (.reader, _): return try read(call, id, RequestTarget(request))
        case (.user, _): return try manage(call, id, content)
        case (.admin, .admin): return try administer(call, id, content)
        case (.device, .device(let device)): return try answer(call, for: device, content)
        default: throw .forbidden
        }
    }

    /// Answers a call that anybody may make.
    private func answer(
        _ call: HubCall,
        _ values: [String: String],
        _ content: JSONValue?
    ) async throws(HubRefusal) -> PeerAnswer {
        switch call {
        case .status: status(values["id"] ?? "")
        case .exchange: try exchange(HubFields(content))
        case .publicThumbnail: publicThumbnail(values["date"] ?? "", values["file"] ?? "")
        case .verify: try verify(HubFields(content))
        case .refresh: try await refresh(HubFields(content))
        case .pair: try pair(HubFields(content))
        case .description: .json(HubCall.openAPI(of: project.dialect))
        default: .json(["status": "healthy", "hub_id": .string(project.hubID)])
        }
    }

    /// Answers a call that is about the device that makes it.
    private func answer(
        _ call: HubCall,
        for device: String,
        _ content: JSONValue?
    ) throws(HubRefusal) -> PeerAnswer {
        switch call {
        case .revoke: try revoke(HubFields(content), for: device)
        case .register: try register(HubFields(content), for: device)
        default: try unregister(device)
        }
    }

    private func content(of request: HTTPRequest, _ body: HTTPBody) async throws(HubRefusal) -> JSONValue? {
        let read: Result<[UInt8], TransportError>
        do throws(TransportError) {
            read = .success(try await body.collect(upTo: Self.bodyLimit, within: .seconds(30)))
        } catch { read = .failure(error) }
        let bytes = (try? read.get()) ?? []
        let content = bytes.isEmpty ? nil : try? JSONValue(json: bytes, depth: 8)
        let field = request.headerFields[.authorization]
        let entry = ArgusHubEvent.requested(
            method: request.method.rawValue,
            path: RequestTarget.beginning(of: request),
            token: field.flatMap { $0.hasPrefix("Bearer ") ? String($0.dropFirst(7)) : nil },
            body: content
        )
        note(entry)
        if case .failure(let error) = read, error.code == .tooLarge { throw .tooLarge }
        return content
    }

    // MARK: State

    func note(_ event: ArgusHubEvent) { state.withLock { $0.log.append(event) } }

    /// Reads or changes the state in one step; what a change did before it throws stays.
    func change<Outcome: Sendable>(
        _ body: (inout HubState) throws(HubRefusal) -> Outcome
    ) throws(HubRefusal) -> Outcome {
        let result = state.withLock { state -> Result<Outcome, HubRefusal> in
            do throws(HubRefusal) { return .success(try body(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The same for what cannot be refused.
    func withState<Outcome: Sendable>(_ body: (inout HubState) -> Outcome) -> Outcome {
        state.withLock { body(&$0) }
    }

    private func makeDueEvents() {
        let events = state.withLock { state -> [HubEvent] in
            state.rules.due(at: Date()).map { due in
                let event = HubEvent(
                    id: state.events.freshID(),
                    cameraID: due.rule.cameraID,
                    timestamp: due.time,
                    detectionType: due.rule.detectionType,
                    description: due.rule.description
                )
                state.add(event)
                return event
            }
        }
        for event in events { announce(event) }
    }
}

extension PeerAnswer {
    /// What the hub's framework says when a call has failed inside; never JSON.
    fileprivate static var failure: PeerAnswer {
        PeerAnswer(
            status: 500,
            headers: [.contentType: "text/plain; charset=utf-8"],
            body: .text("Internal Server Error")
        )
    }

    /// Silence, and then what a proxy says.
    static func lost(_ fault: PeerFault) async -> PeerAnswer {
        try? await Task.sleep(for: fault.time("silence"))
        return .page(status: 504)
    }
}
