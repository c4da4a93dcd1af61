import PPPP
import PeerKit

/// What a SHIX camera does with requests.
struct JSONBrain: CameraBrain {
    func answer(
        _ message: CommandMessage,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> [CommandMessage] {
        guard let request = try? JSONValue(json: message.payload, depth: 4),
            let number = request["cmd"]?.integer
        else {
            camera.record.note("?")
            return []
        }
        camera.record.note("\(number)")
        guard camera.accepts(request["user"]?.string, request["pwd"]?.string) else {
            return camera.settings.isSilentToStrangers ? [] : [Self.reply(number, ["result": -1])]
        }
        switch number {
        case 100:
            if camera.users > camera.settings.mostUsers { return [Self.reply(number, ["result": -3])] }
            if !client.isLoggedIn { camera.record.logins += 1 }
            client.isLoggedIn = true
            return [Self.reply(number, ["result": 0, "admin": 1, "mode": 0, "type": 0, "restrict": 0])]
        case 101: return [Self.reply(number, Self.parameters)]
        case 111:
            guard client.isLoggedIn else { return [Self.reply(number, ["result": -1])] }
            client.isStreaming = (request["video"]?.integer ?? 0) > 0
            return [Self.reply(number, ["result": 0])]
        case 102, 128, 304: return [Self.reply(number, ["result": 0])]
        // The one answer whose number is another.
        case 126: return [Self.reply(128, ["result": 0])]
        default: return [Self.reply(number, ["result": -2])]
        }
    }

    func unsolicited(_ camera: CameraView) -> CommandMessage {
        Self.reply(9000, ["support": 0])
    }

    private static let parameters: [String: JSONValue] = [
        "result": 0, "tz": 0, "time": 3_950_400_351, "icut": 0, "batValue": 90, "batStatus": 1,
        "sysver": "SIM_20260101", "mcuver": "1.1.1.1", "sensor": "SIM", "rotmir": 0, "signal": 100, "lamp": 0,
    ]

    private static func reply(_ number: Int, _ members: [String: JSONValue]) -> CommandMessage {
        let document = members.merging(["cmd": .integer(number)]) { $1 }
        return CommandMessage(payload: JSONValue.object(document).json)
    }
}
