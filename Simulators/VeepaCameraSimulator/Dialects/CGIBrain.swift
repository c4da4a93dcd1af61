import PPPP
import PeerKit

/// What a VStarcam camera does with requests.
struct CGIBrain: CameraBrain {
    func answer(
        _ message: CommandMessage,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> [CommandMessage] {
        guard let request = CGIRequest(message.payload) else {
            camera.record.note("?")
            return []
        }
        camera.record.note(request.program)
        guard let code = CGICode(program: request.program) else {
            return [Self.reply(.notification, "var cgi=\"not support\";")]
        }
        // The first pair counts, then the second; each request repeats them.
        let pairs = [("loginuse", "loginpas"), ("user", "pwd")]
        let pair = pairs.first { request[$0.0] == camera.settings.user } ?? pairs[0]
        guard camera.accepts(request[pair.0], request[pair.1]) else {
            return camera.settings.isSilentToStrangers ? [] : [Self.reply(code, "result=-1;")]
        }
        if !client.isLoggedIn { camera.record.logins += 1 }
        client.isLoggedIn = true
        switch code {
        case .status, .checkUser: return [status(code, camera)]
        case .liveStream: return [stream(request, &client, camera)]
        case .snapshot:
            let picture = camera.snapshot()
            return [CommandMessage(code: code.rawValue, payload: Array("result=0;\r\n".utf8) + picture)]
        case .scanWiFi: return [Self.reply(code, Self.networks(camera.settings.networks))]
        case .setWiFi: return [join(request, &client, &camera)]
        case .parameters, .cameraControl, .motor, .audioStream: return [Self.reply(code, "result=0;")]
        case .notification: return []
        }
    }

    func unsolicited(_ camera: CameraView) -> CommandMessage {
        Self.reply(.status, "var sys_ver=\"10.244.32.61\";var alarm_status=1;")
    }

    private func status(_ code: CGICode, _ camera: CameraView) -> CommandMessage {
        var id = "\(camera.settings.id)"
        if camera.faults.strike(VeepaFaultPoints.loginOther) != nil {
            id = "\(camera.settings.id.prefix)-999999-ZZZZZ"
        }
        return Self.reply(
            code,
            """
            result= 0;\r
            var sys_ver="10.244.32.61";\r
            var alias="Sim; \\"Cam\\"";\r
            var realdeviceid="\(id)";\r
            var current_users=\(camera.users);\r
            var max_support_users=\(camera.settings.mostUsers);\r
            var haveWifi=1;var haveMotor=0;var support_low_power=0;
            """
        )
    }

    private func stream(
        _ request: CGIRequest,
        _ client: inout ClientState,
        _ camera: CameraView
    ) -> CommandMessage {
        switch request["streamid"] {
        case "10" where camera.otherUsers < camera.settings.mostUsers: client.isStreaming = true
        case "16": client.isStreaming = false
        default: return Self.reply(.liveStream, "result=-9;")
        }
        return Self.reply(.liveStream, "result=0;")
    }

    private static func networks(_ networks: [VeepaCameraSettings.WiFi]) -> String {
        let rows = networks.enumerated().map { index, network in
            """
            ap_ssid[\(index)]="\(network.name)";ap_mac[\(index)]="00:11:22:33:44:\(10 + index)";\
            ap_security[\(index)]="\(network.security)";ap_dbm0[\(index)]="\(80 - index)";\
            ap_mode[\(index)]="0";ap_channel[\(index)]="\(network.channel)";\r

            """
        }
        let arrays = ["ssid", "mac", "security", "dbm0", "mode", "channel"].map {
            "var ap_\($0)=new Array();"
        }
        return "result=0;var ap_number=\(networks.count);\(arrays.joined())\r\n\(rows.joined())"
    }

    private func join(
        _ request: CGIRequest,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> CommandMessage {
        guard let name = request["ssid"],
            let network = camera.settings.networks.first(where: { $0.name == name }),
            network.security == 0 || request["wpa_psk"] == network.password
        else { return Self.reply(.setWiFi, "result=-5;") }
        camera.record.joinedNetwork = name
        client.endsAfterReply = true
        return Self.reply(.setWiFi, "result=0;")
    }

    private static func reply(_ code: CGICode, _ text: String) -> CommandMessage {
        CommandMessage(code: code.rawValue, payload: Array(text.utf8))
    }
}
