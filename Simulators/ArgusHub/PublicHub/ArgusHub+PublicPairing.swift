import Foundation
import PeerKit

extension ArgusHub {
    /// What `expires_in` says at the public hub, however long its tokens are valid.
    static let publicLifetime = 900

    // → `{confirmed, expired}`, of unknown codes, too
    func status(_ code: String) -> PeerAnswer {
        let isConfirmed = withState { $0.codes.isConfirmed(code, at: .now) }
        return .json(["confirmed": .bool(isConfirmed ?? false), "expired": .bool(isConfirmed == nil)])
    }

    // `{code}` → tokens and the hub's own ID of the device
    func exchange(_ fields: HubFields) throws(HubRefusal) -> PeerAnswer {
        let code = try fields.text("code", length: 6...6)
        let forgets = faults.strike(HubFaultPoints.codesForgotten) != nil
        let (device, refresh) = try change { state throws(HubRefusal) -> (String, String) in
            if forgets { state.codes.forgetAll() }
            let pairing = try state.codes.exchange(code, at: .now)
            let device = pairing.deviceID ?? ""
            let name = pairing.deviceName
            _ = state.row(of: device, name: name, platform: pairing.platform)
            state.log.append(.paired(device: device, name: name ?? ""))
            return (device, state.refreshTokens.begin(for: device, at: .now))
        }
        return tokens(for: device, refresh: refresh)
    }

    // → `{pairings, total}`, newest first
    func pending() -> PeerAnswer {
        let (now, date) = (ContinuousClock.now, Date())
        let pairings = withState { $0.codes.pending(at: now) }
        func text(_ instant: PairingCodes.Instant) -> JSONValue {
            .string((date + (instant - now) / .seconds(1)).hubText)
        }
        let rows: [JSONValue] = pairings.map { code, pairing in
            [
                "code": .string(code), "device_name": .optional(pairing.deviceName),
                "device_model": .optional(pairing.deviceModel), "platform": .optional(pairing.platform),
                "expires_at": text(pairing.expiry), "created_at": text(pairing.made),
            ]
        }
        return .json(["pairings": .array(rows), "total": .integer(rows.count)])
    }
}
