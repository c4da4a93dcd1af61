import PPPP
import PeerKit

/// What an iLnk camera does with commands.
struct BinaryBrain: CameraBrain {
    /// What a login that is refused was seen to say.
    private static let refused: UInt32 = 0xFF
    /// What a command without a login is answered with.
    private static let unauthorised: UInt32 = 1

    func answer(
        _ message: CommandMessage,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> [CommandMessage] {
        guard let code = BinaryCode(rawValue: message.code) else {
            camera.record.note("?")
            return []
        }
        camera.record.note("\(code)")
        if code == .checkUser { return logIn(message, &client, &camera) }
        guard client.isLoggedIn, message.token == client.ticket else {
            camera.record.rejections += 1
            return [reply(code, BinaryResult(Self.unauthorised).body)]
        }
        switch code {
        case .checkUser: return []
        case .status:
            let status = BinaryStatus(version: [1, 2, 3, 4], uptime: 60, name: "Simulated camera")
            return [reply(code, status.body)]
        case .startVideo, .stopVideo:
            client.isStreaming = code == .startVideo
            return [reply(code, BinaryResult(0).body)]
        case .videoParameter: return [reply(code, BinaryResult(0).body)]
        case .scanWiFi: return [networks(camera.settings.networks)]
        case .setWiFi: return [join(message, &client, &camera)]
        }
    }

    func unsolicited(_ camera: CameraView) -> CommandMessage {
        reply(.status, BinaryStatus(version: [1, 2, 3, 4], uptime: 61, name: "Simulated camera").body)
    }

    private func logIn(
        _ message: CommandMessage,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> [CommandMessage] {
        let login = BinaryLogin(message.payload)
        guard camera.accepts(login?.user, login?.password), camera.users <= camera.settings.mostUsers else {
            return camera.settings.isSilentToStrangers
                ? [] : [reply(.checkUser, BinaryResult(Self.refused).body)]
        }
        // A login that comes twice changes nothing.
        if !client.isLoggedIn {
            camera.record.logins += 1
            client.ticket = UInt32.random(in: 1 ... .max)
        }
        client.isLoggedIn = true
        return [reply(.checkUser, BinaryResult(0, ticket: client.ticket).body)]
    }

    private func networks(_ networks: [VeepaCameraSettings.WiFi]) -> CommandMessage {
        let rows = networks.enumerated().flatMap { index, network in
            BinaryWiFi(
                name: network.name,
                security: UInt32(clamping: network.security),
                strength: UInt32(80 - min(index, 80)),
                channel: UInt32(clamping: network.channel)
            ).body
        }
        return CommandMessage(
            code: BinaryCode.scanWiFi.answer,
            token: UInt32(networks.count),
            payload: rows
        )
    }

    private func join(
        _ message: CommandMessage,
        _ client: inout ClientState,
        _ camera: inout CameraView
    ) -> CommandMessage {
        guard let choice = BinaryWiFiChoice(message.payload),
            let network = camera.settings.networks.first(where: { $0.name == choice.name }),
            network.security == 0 || choice.password == network.password
        else { return reply(.setWiFi, BinaryResult(3).body) }
        camera.record.joinedNetwork = choice.name
        client.endsAfterReply = true
        return reply(.setWiFi, BinaryResult(0).body)
    }

    private func reply(_ code: BinaryCode, _ body: [UInt8]) -> CommandMessage {
        CommandMessage(code: code.answer, payload: body)
    }
}
