import Foundation
import HTTPTypes
import PeerKit

extension ArgusHub {
    /// Who makes a call.
    enum Caller: Sendable, Hashable {
        case device(String)
        case admin
    }

    /// Reads the token of a call.
    ///
    /// The scheme's letter case counts and one blank follows it, as at the public hub.
    func caller(of request: HTTPRequest) throws(HubRefusal) -> Caller {
        guard let field = request.headerFields[.authorization], field.hasPrefix("Bearer ") else {
            throw .unauthenticated
        }
        let token = String(field.dropFirst(7))
        guard !token.isEmpty, !token.hasPrefix(" ") else { throw .unauthenticated }
        if token == project.adminToken { return .admin }
        let claims: [String: JSONValue]
        do throws(WebToken.Refusal) {
            claims = try tokens.verify(token, now: Date())
        } catch {
            throw error == .expired ? .expired : .token
        }
        guard let device = claims["sub"]?.string, claims["exp"] != nil,
            let number = claims["jti"]?.string.flatMap({ Int($0) }),
            number > withState({ $0.revokedTokens })
        else { throw .token }
        return .device(device)
    }

    /// A signed token that the hub takes for so many seconds of its own clock.
    func accessToken(for device: String, seconds: Int) -> String {
        let now = Int(Date().timeIntervalSince1970)
        let number = withState { state in
            state.tokenCount += 1
            return state.tokenCount
        }
        return tokens.sign([
            "sub": .string(device), "iat": .integer(now), "exp": .integer(now + seconds),
            // Two tokens of one second differ.
            "jti": .string(String(number)),
        ])
    }

    // `{code, device_id, device_name}`
    func verify(_ fields: HubFields) throws(HubRefusal) -> PeerAnswer {
        let code = try fields.text("code")
        let device = try fields.text("device_id")
        let name = try fields.text("device_name", length: 1...100)
        // Digits of ASCII alone: others are numbers to Unicode.
        guard code.utf8.count == 6, code.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw .malformedCode
        }
        guard UUID(uuidString: device) != nil else { throw .deviceID }
        let forgets = faults.strike(HubFaultPoints.codesForgotten) != nil
        let refresh = try change { state throws(HubRefusal) in
            if forgets { state.codes.forgetAll() }
            try state.codes.use(code, by: device, at: .now)
            state.log.append(.paired(device: device, name: name))
            return state.refreshTokens.begin(for: device, at: .now)
        }
        return tokens(for: device, refresh: refresh)
    }

    // `{refresh_token}`, and `device_id` at the public hub, which means its own ID of the device
    func refresh(_ fields: HubFields) async throws(HubRefusal) -> PeerAnswer {
        let sent = try fields.text("refresh_token", length: 1...4096)
        let row = project.dialect == .hub ? try fields.text("device_id") : nil
        let answer = try change { state throws(HubRefusal) -> (device: String, refresh: String) in
            if let row {
                let device = state.refreshTokens.device(of: sent)
                guard device.flatMap({ state.rows[$0]?.id }) == row else { throw .refreshToken }
            }
            switch state.refreshTokens.use(sent, project, at: .now) {
            case .rotated(let device, let next):
                state.log.append(.refreshed(device: device))
                return (device, next)
            case .forgiven(let device, let answer):
                state.log.append(.graceGiven(device: device))
                return (device, answer)
            case .reused(let device, let revokesFamily):
                state.log.append(.reuseRefused(device: device, revokesFamily: revokesFamily))
                throw .refreshToken
            case .unknown: throw .refreshToken
            }
        }
        if let fault = faults.strike(HubFaultPoints.refreshLost) { return await .lost(fault) }
        return tokens(for: answer.device, refresh: answer.refresh)
    }

    /// The tokens of a device, in the form of the dialect.
    func tokens(for device: String, refresh: String) -> PeerAnswer {
        let lifetime =
            faults.strike(HubFaultPoints.shortToken)?.integer("seconds") ?? project.tokenLifetime
        let isSeed = project.dialect == .seed
        let usual = isSeed ? project.tokenLifetime : Self.publicLifetime
        let said = faults.strike(HubFaultPoints.wrongExpiry)?.integer("seconds") ?? usual
        var fields: [String: JSONValue] = [
            "access_token": .string(accessToken(for: device, seconds: lifetime)),
            "refresh_token": .string(refresh), "expires_in": .integer(said),
            "token_type": isSeed ? "Bearer" : "bearer",
        ]
        if isSeed {
            // Beyond the description: which hub it is, wherever it is found.
            fields["hub_id"] = .string(project.hubID)
        } else {
            fields["device_id"] = .string(withState { $0.row(of: device).id })
        }
        return .json(.object(fields))
    }

    // `{refresh_token}`, `{device_id}` or `{revoke_all: true}` → `{revoked_count}`
    func revoke(_ fields: HubFields, for device: String) throws(HubRefusal) -> PeerAnswer {
        let token = try fields.optionalText("refresh_token", length: 1...4096)
        let other = try fields.optionalText("device_id")
        let all = try fields.flag("revoke_all")
        guard token != nil || other != nil || all else { throw .revocation }
        let count = withState { state in
            // A device revokes what is its own.
            let own = project.dialect == .seed ? device : state.rows[device]?.id
            let isOwn = all || other != nil && other == own
            let count =
                isOwn
                ? state.refreshTokens.revokeAll(of: device)
                : token.map { state.refreshTokens.revoke($0, of: device) } ?? 0
            state.log.append(.revoked(device: device, count: count))
            return count
        }
        return .json(["revoked_count": .integer(count)])
    }

    // `{device_id, platform, device_name?, device_model?}` → `{code, expires_in, expires_at}`
    func pair(_ fields: HubFields) throws(HubRefusal) -> PeerAnswer {
        let device = try fields.text("device_id")
        let platform = try fields.word("platform", of: Self.platforms)
        let name = try fields.optionalText("device_name", length: 0...100)
        let model = try fields.optionalText("device_model", length: 0...100)
        let now = ContinuousClock.now
        let made = try change { state throws(HubRefusal) in
            try state.codes.make(for: device, name: name, model: model, platform: platform, at: now)
        }
        let seconds = (made.expiry - now) / .seconds(1)
        return .json([
            "code": .string(made.code), "expires_in": .integer(Int(seconds)),
            "expires_at": .string((Date() + seconds).hubText),
        ])
    }

    // `{code}` → `{confirmed, device_name, device_model, platform}`
    func confirm(_ fields: HubFields) throws(HubRefusal) -> PeerAnswer {
        let code = try fields.text("code", length: 6...6)
        let pairing = try change { state throws(HubRefusal) in try state.codes.confirm(code, at: .now) }
        return .json([
            "confirmed": true, "device_name": .optional(pairing.deviceName),
            "device_model": .optional(pairing.deviceModel), "platform": .optional(pairing.platform),
        ])
    }

    static let platforms = ["ios", "android"]
}
