import Concurrency
import Flow
import HTTPTypes
import Synchronization
import Transport

/// What was called, in order.
final class CallLog: Sendable {
    private let log = Mutex<[String]>([])

    var calls: [String] { log.withLock(\.self) }

    func note(_ call: String) { log.withLock { $0.append(call) } }

    /// Notes that a call begins and ends, around it.
    func around<Value>(_ call: String, _ work: () async throws -> Value) async throws -> Value {
        note("> \(call)")
        defer { note("< \(call)") }
        return try await work()
    }
}

/// A repository whose calls are noted.
struct NotedRepository: FlowRepository {
    let base: any FlowRepository
    let log: CallLog
    let session: SessionManager

    func logIn(_ data: AuthenticationData) async throws {
        try await log.around("repository.logIn") { try await base.logIn(data) }
    }

    func verify(_ code: String) async throws {
        try await log.around("repository.verify") { try await base.verify(code) }
    }

    func submitData(_ data: StepSubmission) async throws {
        try await log.around("repository.submitData") {
            try await base.submitData(data)
            // At this moment, and not when an observer has its turn.
            if session.changes.value.userInfo.flowData.has(data.step) { log.note("session has the data") }
        }
    }
}

/// A service whose calls are noted.
struct NotedService: FlowService {
    let base: any FlowService
    let log: CallLog

    func logIn(_ data: AuthenticationData, in sessionID: String) async throws -> UserData {
        try await log.around("service.logIn") { try await base.logIn(data, in: sessionID) }
    }

    func verify(_ code: String, of user: UserData, in sessionID: String) async throws {
        try await log.around("service.verify") { try await base.verify(code, of: user, in: sessionID) }
    }

    func submitData(_ data: StepSubmission, of user: UserData, in sessionID: String) async throws {
        try await log.around("service.submitData") {
            try await base.submitData(data, of: user, in: sessionID)
        }
    }
}

/// An API whose calls are noted.
struct NotedAPI: FlowAPI {
    let base: any FlowAPI
    let log: CallLog

    func createDevice(_ request: DeviceRequest) async throws -> SessionResponse {
        try await log.around("api.createDevice") { try await base.createDevice(request) }
    }

    func logIn(_ request: LoginRequest) async throws -> LoginResponse {
        try await log.around("api.logIn") { try await base.logIn(request) }
    }

    func verify(_ request: VerificationRequest) async throws {
        try await log.around("api.verify") { try await base.verify(request) }
    }

    func submit(_ request: StepRequest) async throws -> StepResponse {
        try await log.around("api.submit") { try await base.submit(request) }
    }

    func track(_ request: TrackRequest) async throws {
        try await log.around("api.track") { try await base.track(request) }
    }
}

/// A client whose requests are noted and kept.
final class NotedHTTP: HTTPClient {
    struct Sent: Sendable {
        let request: HTTPRequest
        let body: [UInt8]
    }

    private let base: any HTTPClient
    private let log: CallLog?
    private let requests = Mutex<[Sent]>([])

    init(_ base: any HTTPClient, log: CallLog? = nil) {
        self.base = base
        self.log = log
    }

    /// What was sent, oldest first.
    var sent: [Sent] { requests.withLock(\.self) }

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        let bytes = try await body.collect(upTo: 1 << 20)
        requests.withLock { $0.append(Sent(request: request, body: bytes)) }
        log?.note("> \(request.method) \(request.path ?? "")")
        defer { log?.note("< \(request.method) \(request.path ?? "")") }
        return try await base.send(request, body: .bytes(bytes), limits: limits)
    }
}

/// A client of one server, without a network.
struct DirectClient: HTTPClient {
    let server: any Server

    func send(
        _ request: HTTPRequest,
        body: HTTPBody,
        limits: HTTPLimits
    ) async throws(TransportError) -> (head: HTTPResponse, body: HTTPBody) {
        await server.respond(to: request, body: body)
    }
}

/// Analytics that are noted.
struct NotedAnalytics: AnalyticsService {
    let log: CallLog
    var session: SessionManager?

    func track(event: AnalyticsEvent, in sessionID: String) {
        let isBehind = session?.changes.value.userInfo.flowData.step1Data != nil
        log.note("analytics \(event.rawValue)\(isBehind ? " behind the data" : "")")
    }
}
