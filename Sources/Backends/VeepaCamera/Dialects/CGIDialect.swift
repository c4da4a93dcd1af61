import PPPP
import Services

/// What VStarcam, Eye4, O-KAM and Veepa cameras speak.
///
/// Source: vstarcamctl and a public client for O-KAM cameras. Credentials travel in every request.
struct CGIDialect: CameraDialect {
    let framing = CommandFraming.cgi

    func message(
        for command: CameraCommand,
        _ credentials: VeepaCredentials
    ) throws(VeepaConnectionError) -> [CommandMessage] {
        var request: CGIRequest
        switch command {
        case .logIn, .readStatus: request = CGIRequest("get_status.cgi", ["name": "admin"])
        case .startVideo(let quality):
            let substream =
                switch quality {
                case .low: "4"
                case .general: "2"
                case .high: "1"
                }
            request = CGIRequest("livestream.cgi", ["streamid": "10", "substream": substream])
        case .stopVideo: request = CGIRequest("livestream.cgi", ["streamid": "16", "substream": "0"])
        case .takeSnapshot: request = CGIRequest("snapshot.cgi", ["sensor": "0"])
        case .scanWiFi: request = CGIRequest("wifi_scan.cgi")
        case .joinWiFi(let network, let password):
            request = CGIRequest(
                "set_wifi.cgi",
                [
                    "enable": "1", "ssid": network.name, "channel": "\(network.channel)", "mode": "0",
                    "authtype": "\(network.security)", "encrypt": "0", "keyformat": "0", "defkey": "0",
                    "wpa_psk": password,
                ]
            )
        }
        let (user, password) = (credentials.user, credentials.password.reveal())
        // Firmware tries the first pair, then the second.
        for (name, value) in [("loginuse", user), ("loginpas", password), ("user", user), ("pwd", password)] {
            request.parameters.append(.init(name: name, value: value))
        }
        guard request.parameters.allSatisfy({ CGIRequest.canSend($0.value) }) else {
            throw error(.invalidValue, command, credentials, "it contains “.cgi”")
        }
        return [CommandMessage(payload: request.bytes)]
    }

    func reply(
        to command: CameraCommand,
        in message: CommandMessage,
        _ credentials: VeepaCredentials
    ) -> CameraReply? {
        guard let code = command.code, message.code == code.rawValue else { return nil }
        if command == .takeSnapshot, let picture = Self.picture(in: message.payload) {
            return .picture(picture)
        }
        let reply = CGIReply(message.payload)
        guard let result = reply.result else {
            if reply.values["cgi"] == "not support" { return .unsupported }
            // A status that nobody has asked for has no result: it is no answer.
            if command == .logIn || command == .readStatus { return nil }
            return command == .scanWiFi ? .networks(Self.networks(reply)) : .refused(code: 0)
        }
        switch result {
        case 0: break
        case -1, -2, -3: return .rejected(code: result)
        case -4: return .wrongCamera
        default: return .refused(code: result)
        }
        switch command {
        case .logIn, .readStatus: return Self.status(reply, credentials)
        case .scanWiFi: return .networks(Self.networks(reply))
        case .takeSnapshot: return .refused(code: 0)
        case .startVideo, .stopVideo, .joinWiFi: return .done
        }
    }

    private static func status(_ reply: CGIReply, _ credentials: VeepaCredentials) -> CameraReply {
        let status = VeepaStatus(
            version: reply.values["sys_ver"],
            realDeviceID: reply.values["realdeviceid"],
            users: reply.integer("current_users"),
            mostUsers: reply.integer("max_support_users")
        )
        // The other form, which vendors' apps show, says nothing about this one.
        if let id = status.realDeviceID.flatMap({ DeviceID($0) }), id.prefix == credentials.id.prefix,
            id != credentials.id
        {
            return .wrongCamera
        }
        if let users = status.users, let most = status.mostUsers, users > most { return .full }
        return .status(status)
    }

    private static let mostNetworks = 64

    private static func networks(_ reply: CGIReply) -> [VeepaWiFi] {
        let names = reply.arrays["ap_ssid"] ?? [:]
        func number(_ array: String, _ index: Int) -> Int {
            reply.arrays[array]?[index].flatMap { Int($0) } ?? 0
        }
        return names.sorted { $0.key < $1.key }.prefix(mostNetworks).map { index, name in
            VeepaWiFi(
                name: name,
                security: number("ap_security", index),
                channel: number("ap_channel", index),
                strength: number("ap_dbm0", index)
            )
        }
    }

    /// The picture inside an answer, before which there may be text.
    private static func picture(in payload: [UInt8]) -> [UInt8]? {
        let pairs = payload.indices.dropLast()
        guard let start = pairs.first(where: { payload[$0] == 0xFF && payload[$0 + 1] == 0xD8 }),
            let end = pairs.last(where: { payload[$0] == 0xFF && payload[$0 + 1] == 0xD9 }), start < end
        else { return nil }
        let file = Array(payload[start...(end + 1)])
        return JPEGShape(file).map { Array(file.prefix($0.count)) }
    }
}

extension CameraCommand {
    fileprivate var code: CGICode? {
        switch self {
        case .logIn, .readStatus: .status
        case .startVideo, .stopVideo: .liveStream
        case .takeSnapshot: .snapshot
        case .scanWiFi: .scanWiFi
        case .joinWiFi: .setWiFi
        }
    }
}
