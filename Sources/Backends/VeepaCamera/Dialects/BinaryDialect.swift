import PPPP
import Services

/// What iLnk cameras speak: structures of fixed fields.
///
/// The ticket of the login goes with every command. Source: aiopppp 0.2.3 and cam-reverse.
struct BinaryDialect: CameraDialect {
    let framing = CommandFraming.binary
    private var ticket: UInt32 = 0

    mutating func message(
        for command: CameraCommand,
        _ credentials: VeepaCredentials
    ) throws(VeepaConnectionError) -> [CommandMessage] {
        func message(_ code: BinaryCode, _ body: [UInt8] = []) -> CommandMessage {
            CommandMessage(code: code.rawValue, token: code == .checkUser ? 0 : ticket, payload: body)
        }
        switch command {
        case .logIn:
            let login = BinaryLogin(user: credentials.user, password: credentials.password.reveal())
            guard login.fits else {
                throw error(.invalidValue, command, credentials, "user or password is too long")
            }
            return [message(.checkUser, login.body)]
        case .readStatus: return [message(.status)]
        case .startVideo(let quality):
            var parameter: [UInt8] = []
            // Which picture size: 0, 1 and 2.
            parameter.append(little: UInt32(1))
            parameter.append(little: UInt32(quality == .low ? 0 : quality == .general ? 1 : 2))
            return [message(.videoParameter, parameter), message(.startVideo)]
        case .stopVideo: return [message(.stopVideo)]
        case .scanWiFi: return [message(.scanWiFi)]
        case .joinWiFi(let network, let password):
            let choice = BinaryWiFiChoice(
                name: network.name,
                password: password,
                security: UInt32(clamping: network.security),
                channel: UInt32(clamping: network.channel)
            )
            guard choice.fits else {
                throw error(.invalidValue, command, credentials, "name or password is too long")
            }
            return [message(.setWiFi, choice.body)]
        case .takeSnapshot:
            throw error(.refused, command, credentials, "such cameras take no pictures besides their video")
        }
    }

    mutating func reply(
        to command: CameraCommand,
        in message: CommandMessage,
        _ credentials: VeepaCredentials
    ) -> CameraReply? {
        guard let code = command.code, message.code == code.answer else { return nil }
        switch command {
        case .logIn:
            guard let result = BinaryResult(body: message.payload) else { return .refused(code: 0) }
            guard result.result == 0 else { return .rejected(code: Int(result.result)) }
            ticket = result.ticket
            return .done
        case .readStatus:
            guard let status = BinaryStatus(message.payload) else { return .refused(code: 0) }
            return .status(VeepaStatus(version: status.version.map { "\($0)" }.joined(separator: ".")))
        case .scanWiFi:
            let rows = BinaryWiFi.rows(message.payload, count: Int(min(64, message.token)))
            return .networks(
                rows.map {
                    VeepaWiFi(
                        name: $0.name,
                        security: Int($0.security),
                        channel: Int($0.channel),
                        strength: Int(Int32(bitPattern: $0.strength))
                    )
                }
            )
        case .startVideo, .stopVideo, .joinWiFi, .takeSnapshot:
            let result = BinaryResult(body: message.payload)?.result ?? 0
            return result == 0 ? .done : .refused(code: Int(result))
        }
    }
}

extension CameraCommand {
    fileprivate var code: BinaryCode? {
        switch self {
        case .logIn: .checkUser
        case .readStatus: .status
        case .startVideo: .startVideo
        case .stopVideo: .stopVideo
        case .scanWiFi: .scanWiFi
        case .joinWiFi: .setWiFi
        case .takeSnapshot: nil
        }
    }
}
