import Foundation
import PeerKit
import Transport

extension ArgusHub {
    /// Answers a call about devices; at the public hub any client of the user may change all of them.
    func manage(_ call: HubCall, _ id: String, _ content: JSONValue?) throws(HubRefusal) -> PeerAnswer {
        switch call {
        case .addDevice: return try addDevice(HubFields(content))
        case .deviceToken: return try setToken(HubFields(content), of: id)
        case .removeDevice:
            guard withState({ $0.removeDevice(id) }) else { throw .device }
            return PeerAnswer(status: 204, body: .empty)
        default:
            let rows = withState { $0.rows.sorted { $0.key < $1.key } }.map { $1.json(of: $0) }
            return .json(["devices": .array(rows), "total": .integer(rows.count)])
        }
    }

    // `{device_id, platform, name?, push_token?}` → 201 always; the token is any text
    private func addDevice(_ fields: HubFields) throws(HubRefusal) -> PeerAnswer {
        let device = try fields.text("device_id")
        let platform = try fields.word("platform", of: ["ios", "android", "web"])
        let name = try fields.optionalText("name", length: 0...100)
        let token = try fields.optionalText("push_token")
        let (row, isNew) = withState { state in
            let isNew = state.rows[device] == nil
            if let token { _ = state.register(token, for: device, at: Date()) }
            return (state.row(of: device, name: name, platform: platform), isNew)
        }
        return .json(
            .object((row.json(of: device).object ?? [:]).merging(["is_new": .bool(isNew)]) { $1 }),
            status: 201
        )
    }

    // `{push_token}`
    private func setToken(_ fields: HubFields, of device: String) throws(HubRefusal) -> PeerAnswer {
        let token = try fields.text("push_token")
        try change { state throws(HubRefusal) in
            guard state.rows[device] != nil else { throw .device }
            _ = state.register(token, for: device, at: Date())
        }
        return .json(["success": true, "message": "Token updated"])
    }
}

extension HubState.Row {
    fileprivate func json(of device: String) -> JSONValue {
        [
            "id": .string(id), "device_id": .string(device), "name": .optional(name),
            "platform": .optional(platform), "created_at": .string(created.hubText),
        ]
    }
}
