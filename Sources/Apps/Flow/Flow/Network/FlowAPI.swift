/// The calls of the service.
///
/// The app's own is ``APIManager``; a test can put another one in its place.
public protocol FlowAPI: Sendable {
    /// Begins a session of a device.
    func createDevice(_ request: DeviceRequest) async throws -> SessionResponse

    /// Finds or makes the account of a person.
    func logIn(_ request: LoginRequest) async throws -> LoginResponse

    /// Verifies the account of a session by a code.
    func verify(_ request: VerificationRequest) async throws

    /// Stores the data of a step.
    func submit(_ request: StepRequest) async throws -> StepResponse

    /// Notes an event of analytics.
    func track(_ request: TrackRequest) async throws
}

extension APIManager: FlowAPI {
    /// `POST /Device/CreateDevice`.
    public func createDevice(_ request: DeviceRequest) async throws -> SessionResponse {
        try await post("/Device/CreateDevice", request)
    }

    /// `POST /Auth/Login`.
    public func logIn(_ request: LoginRequest) async throws -> LoginResponse {
        try await post("/Auth/Login", request)
    }

    /// `POST /Auth/Verify`.
    public func verify(_ request: VerificationRequest) async throws {
        _ = try await post("/Auth/Verify", request, as: EmptyResponse.self)
    }

    /// `POST /api/endpoint`.
    public func submit(_ request: StepRequest) async throws -> StepResponse {
        try await post("/api/endpoint", request)
    }

    /// `POST /Analytics/Track`.
    public func track(_ request: TrackRequest) async throws {
        _ = try await post("/Analytics/Track", request, as: EmptyResponse.self)
    }
}
