import Foundation
import HTTPTypes
import PeerKit

/// The calls of the API.
enum FlowCalls: String, Sendable, CaseIterable {
    case token = "/Auth/GetToken"
    case device = "/Device/CreateDevice"
    case login = "/Auth/Login"
    case verification = "/Auth/Verify"
    case step = "/api/endpoint"
    case analytics = "/Analytics/Track"
    case description = "/openapi.json"

    static let routes: PeerRoutes<FlowCalls> = {
        var routes = PeerRoutes<FlowCalls>()
        for call in allCases { routes.on(call == .description ? .get : .post, call.rawValue, call) }
        routes.on(.head, description.rawValue, .description)
        return routes
    }()

    /// The description of the API, as OpenAPI 3.1.
    static let openAPI: [UInt8] = PackageResources.openapi_json
}

extension PeerAnswer {
    /// A success, which says so in its body too.
    fileprivate static func success(_ fields: [String: JSONValue] = [:]) -> PeerAnswer {
        let envelope: [String: JSONValue] = ["success": true, "errorCode": 0, "errorMsg": ""]
        return .json(.object(envelope.merging(fields) { $1 }))
    }
}

extension FlowServer {
    // `{clientId, clientSecret}` → `{token, expires_on}`
    func giveToken(_ body: [String: JSONValue]) throws(FlowRefusal) -> PeerAnswer {
        let client = try FlowSteps.text("clientId", in: body)
        let secret = try FlowSteps.text("clientSecret", in: body)
        guard client == project.clientID, secret == project.clientSecret else { throw .client }
        let lifetime =
            faults.strike(FlowFaultPoints.shortToken)?.integer("seconds") ?? project.tokenLifetime
        let now = Int(Date().timeIntervalSince1970)
        let expiry = now + lifetime
        let claims: [String: JSONValue] = try change { state throws(FlowRefusal) in
            state.tokenCount += 1
            let claims: [String: JSONValue] = [
                "sub": .string(client), "iat": .integer(now), "exp": .integer(expiry),
                // Two tokens of one second differ.
                "jti": .integer(state.tokenCount), "generation": .integer(state.generation),
            ]
            return (claims, .tokenGiven)
        }
        var fields: [String: JSONValue] = ["token": .string(tokens.sign(claims))]
        fields["expires_on"] = written(expiry, now: now)
        return .success(fields)
    }

    /// An instant as the API writes it, or as a fault has it.
    private func written(_ expiry: Int, now: Int) -> JSONValue? {
        if faults.strike(FlowFaultPoints.isoExpiry) != nil {
            let date = Date(timeIntervalSince1970: Double(expiry))
            return .string(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        guard let fault = faults.strike(FlowFaultPoints.wrongExpiry) else { return .integer(expiry) }
        return switch fault.integer("form") {
        case 0: .integer(expiry * 1000)
        case 1: .integer(expiry - now)
        case 2: nil
        default: .integer(now - 3600)
        }
    }

    // `{deviceId, ipAddress, deviceName, channel}` → `{sessionId}`
    func beginSession(_ body: [String: JSONValue]) throws(FlowRefusal) -> PeerAnswer {
        guard let device = body["deviceId"]?.string.flatMap({ UUID(uuidString: $0) })?.uuidString else {
            throw .field("deviceId")
        }
        // Where the device does not know its address, it sends an empty one.
        guard let address = body["ipAddress"]?.string, address.utf8.count <= 64 else {
            throw .field("ipAddress")
        }
        let name = try FlowSteps.text("deviceName", in: body)
        let channel = try FlowSteps.text("channel", in: body)
        let id = UUID().uuidString.lowercased()
        try change { state throws(FlowRefusal) in
            state.begin(id, FlowState.Session(deviceID: device))
            return ((), .sessionBegun(deviceID: device, sessionID: id))
        }
        return .success([
            "sessionId": .string(id), "deviceName": .string(name), "channel": .string(channel),
        ])
    }

    // `{sessionId, email, password, consents: {terms, privacy}}` → `{userId}`
    func logIn(_ body: [String: JSONValue]) throws(FlowRefusal) -> PeerAnswer {
        let session = try FlowSteps.text("sessionId", in: body)
        let email = try FlowSteps.text("email", in: body).trimmingCharacters(in: .whitespacesAndNewlines)
            .lowercased()
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), !email.contains(where: \.isWhitespace)
        else { throw .field("email") }
        guard let password = body["password"]?.string, !password.isEmpty,
            password.utf8.count <= FlowSteps.textLimit
        else { throw .field("password") }
        guard let consents = body["consents"]?.object else { throw .field("consents") }
        guard consents["terms"] == true, consents["privacy"] == true else { throw .consents }
        let user: String = try change { state throws(FlowRefusal) in
            guard state.sessions[session] != nil else { throw .session }
            let account: FlowState.Account
            if let known = state.accounts[email] {
                guard known.password == password else { throw .credentials }
                account = known
            } else {
                guard state.accounts.count < FlowState.accountLimit else { throw .busy(seconds: 60) }
                account = FlowState.Account(userID: UUID().uuidString.lowercased(), password: password)
                state.accounts[email] = account
            }
            if let before = state.sessions[session]?.userID, before != account.userID {
                // Another person: nothing of the first is left in the session, but what locks it.
                state.sessions[session]?.isVerified = false
                state.sessions[session]?.steps = [:]
            }
            state.sessions[session]?.userID = account.userID
            return (account.userID, .loggedIn(sessionID: session, userID: account.userID))
        }
        return .success(["userId": .string(user)])
    }

    // `{sessionId, userId, code}`
    func verify(_ body: [String: JSONValue]) throws(FlowRefusal) -> PeerAnswer {
        let (session, user) = (
            try FlowSteps.text("sessionId", in: body), try FlowSteps.text("userId", in: body)
        )
        let code = try FlowSteps.text("code", in: body)
        let isRight = code == project.verificationCode
        // A wrong code changes the state, too: the refusal is thrown after the change.
        let refusal: FlowRefusal? = try change { state throws(FlowRefusal) in
            guard var found = state.sessions[session] else { throw .session }
            guard found.userID == user else { throw .field("userId") }
            guard found.wrongCodes < 5 else { throw .locked }
            guard isRight else {
                if !found.isVerified { found.wrongCodes += 1 }
                state.sessions[session] = found
                return (.code, .refused(path: FlowCalls.verification.rawValue, code: FlowRefusal.code.code))
            }
            found.isVerified = true
            state.sessions[session] = found
            return (nil, .verified(sessionID: session))
        }
        if let refusal { throw refusal }
        return .success()
    }

    // `{sessionId, userId, step: 1…3, …}` → `{nextStep, isCompleted}`
    func storeStep(_ body: [String: JSONValue]) throws(FlowRefusal) -> PeerAnswer {
        let (session, user) = (
            try FlowSteps.text("sessionId", in: body), try FlowSteps.text("userId", in: body)
        )
        guard let step = body["step"]?.integer else { throw .field("step") }
        let next: Int = try change { state throws(FlowRefusal) in
            guard var found = state.sessions[session] else { throw .session }
            guard found.userID == user else { throw .field("userId") }
            guard found.isVerified else { throw .unverified }
            guard (1...FlowSteps.count).contains(step), step <= found.nextStep else { throw .order }
            found.steps[step] = try FlowSteps.fields(of: step, in: body)
            state.sessions[session] = found
            return (found.nextStep, .stepStored(sessionID: session, step: step))
        }
        return .success(["nextStep": .integer(next), "isCompleted": .bool(next > FlowSteps.count)])
    }

    // `{sessionId, event}`
    func track(_ body: [String: JSONValue]) throws(FlowRefusal) -> PeerAnswer {
        let session = try FlowSteps.text("sessionId", in: body)
        let event = try FlowSteps.text("event", in: body)
        try change { state throws(FlowRefusal) in
            guard state.sessions[session] != nil else { throw .session }
            return ((), .tracked(sessionID: session, name: event))
        }
        return .success()
    }
}
