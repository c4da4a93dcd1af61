internal import Foundation
public import Services

/// The body of `POST /Auth/GetToken`.
struct TokenRequest: Encodable, Sendable {
    let clientId: String
    let clientSecret: Secret

    private enum CodingKeys: CodingKey { case clientId, clientSecret }

    /// Writes all of it, the secret included.
    func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(clientId, forKey: .clientId)
        try fields.encode(clientSecret.reveal(), forKey: .clientSecret)
    }
}

/// What a token comes with.
struct TokenResponse: Decodable, Sendable {
    let token: String
    let expiry: Date

    enum CodingKeys: String, CodingKey {
        case token
        case expiry = "expires_on"
    }

    /// Reads whole seconds since 1970, or a date of ISO 8601.
    ///
    /// An instant before 2001 or after 2100 is not one: milliseconds and seconds from now are mistakes of a service that would otherwise be asked
    /// for a token at each call, or never again.
    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        token = try fields.decode(String.self, forKey: .token)
        let date: Date
        if let seconds = try? fields.decode(Double.self, forKey: .expiry) {
            date = Date(timeIntervalSince1970: seconds)
        } else {
            let text = try fields.decode(String.self, forKey: .expiry)
            guard
                let read = (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
                    ?? (try? Date.ISO8601FormatStyle().parse(text))
            else { throw Self.unusable(fields) }
            date = read
        }
        // 2001-01-01 and 2100-01-01.
        guard (978_307_200...4_102_444_800).contains(date.timeIntervalSince1970), !token.isEmpty else {
            throw Self.unusable(fields)
        }
        expiry = date
    }

    private static func unusable(_ fields: KeyedDecodingContainer<CodingKeys>) -> DecodingError {
        DecodingError.dataCorruptedError(
            forKey: .expiry,
            in: fields,
            debugDescription: "this is not the end of a token's time"
        )
    }
}

/// The body of `POST /Device/CreateDevice`.
public struct DeviceRequest: Encodable, Sendable, Hashable {
    /// A UUID, the same at every launch.
    public var deviceId: String
    /// The public address; empty where it is not known.
    public var ipAddress: String
    /// The device's model.
    public var deviceName: String
    /// The kind of program: `linux`.
    public var channel: String

    /// Describes a device.
    public init(deviceId: String, ipAddress: String, deviceName: String, channel: String) {
        self.deviceId = deviceId
        self.ipAddress = ipAddress
        self.deviceName = deviceName
        self.channel = channel
    }
}

/// What a session of a device begins with.
public struct SessionResponse: Decodable, Sendable, Hashable {
    /// The session, as later calls name it.
    public var sessionId: String

    /// Names a session.
    public init(sessionId: String) { self.sessionId = sessionId }
}

/// The body of `POST /Auth/Login`.
public struct LoginRequest: Encodable, Sendable, Hashable {
    /// The session of the device.
    public var sessionId: String
    /// The e-mail address.
    public var email: String
    /// The password.
    public var password: Secret
    /// Both are needed.
    public var consents: Consents

    private enum CodingKeys: CodingKey { case sessionId, email, password, consents }

    /// Writes all of it, the password included.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(sessionId, forKey: .sessionId)
        try fields.encode(email, forKey: .email)
        try fields.encode(password.reveal(), forKey: .password)
        try fields.encode(consents, forKey: .consents)
    }
}

/// Who has come in.
public struct LoginResponse: Decodable, Sendable, Hashable {
    /// The service's name for the person.
    public var userId: String

    /// Names a person.
    public init(userId: String) { self.userId = userId }
}

/// The body of `POST /Auth/Verify`.
public struct VerificationRequest: Encodable, Sendable, Hashable {
    /// The session of the device.
    public var sessionId: String
    /// Who has logged in.
    public var userId: String
    /// The code, without blanks around it.
    public var code: Secret

    /// A code of a person.
    public init(sessionId: String, userId: String, code: Secret) {
        self.sessionId = sessionId
        self.userId = userId
        self.code = code
    }

    private enum CodingKeys: CodingKey { case sessionId, userId, code }

    /// Writes all of it, the code included.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(sessionId, forKey: .sessionId)
        try fields.encode(userId, forKey: .userId)
        try fields.encode(code.reveal(), forKey: .code)
    }
}

/// An answer whose envelope says all.
struct EmptyResponse: Decodable, Sendable {}

/// The body of `POST /api/endpoint`.
public struct StepRequest: Encodable, Sendable, Hashable {
    /// The session of the device.
    public var sessionId: String
    /// Who has logged in.
    public var userId: String
    /// Which step, and its data.
    public var submission: StepSubmission

    /// The data of a step of a person.
    public init(sessionId: String, userId: String, submission: StepSubmission) {
        self.sessionId = sessionId
        self.userId = userId
        self.submission = submission
    }

    private enum CodingKeys: CodingKey { case sessionId, userId, step }

    /// Writes who and which step beside the fields of the step.
    public func encode(to encoder: any Encoder) throws {
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(sessionId, forKey: .sessionId)
        try fields.encode(userId, forKey: .userId)
        try fields.encode(submission.step.number, forKey: .step)
        switch submission {
        case .step1(let data): try data.encode(to: encoder)
        case .step2(let data): try data.encode(to: encoder)
        case .step3(let data): try data.encode(to: encoder)
        }
    }
}

/// What follows a step.
public struct StepResponse: Decodable, Sendable, Hashable {
    /// The number of the first step that is not done; `nil` where the service does not say.
    public var nextStep: Int?
    /// Whether all are done.
    public var isCompleted: Bool?

    /// What follows a step.
    public init(nextStep: Int? = nil, isCompleted: Bool? = nil) {
        self.nextStep = nextStep
        self.isCompleted = isCompleted
    }
}

/// The body of `POST /Analytics/Track`.
public struct TrackRequest: Encodable, Sendable, Hashable {
    /// The session of the device.
    public var sessionId: String
    /// What has happened.
    public var event: AnalyticsEvent
}
