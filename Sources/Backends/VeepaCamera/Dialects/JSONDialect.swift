import Foundation
import PPPP
import Services

/// What SHIX cameras speak.
///
/// Credentials travel in every request. Source: aiopppp 0.2.3. How such cameras list and join Wi-Fi networks is not known well enough to be here.
struct JSONDialect: CameraDialect {
    let framing = CommandFraming.json
    /// The most bytes of an answer that are read: cameras send less than 1 kB.
    private static let mostBytes = 64 * 1024

    private struct Request: Encodable {
        var pro: String
        var cmd: Int
        var video: Int?
        var user: String
        var pwd: String
        var devmac = "0000"
    }

    private struct Reply: Decodable {
        var cmd: Int
        var result: Int?
        var sysver: String?
    }

    func message(
        for command: CameraCommand,
        _ credentials: VeepaCredentials
    ) throws(VeepaConnectionError) -> [CommandMessage] {
        guard let (name, number) = command.json else {
            throw error(.refused, command, credentials, "how such cameras do it is not known")
        }
        var request = Request(
            pro: name,
            cmd: number,
            user: credentials.user,
            pwd: credentials.password.reveal()
        )
        switch command {
        case .startVideo(.low): request.video = 2
        case .startVideo: request.video = 1
        case .stopVideo: request.video = 0
        default: break
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(request) else {
            throw error(.invalidValue, command, credentials, "it cannot be written as JSON")
        }
        return [CommandMessage(payload: Array(bytes))]
    }

    func reply(
        to command: CameraCommand,
        in message: CommandMessage,
        _ credentials: VeepaCredentials
    ) -> CameraReply? {
        guard message.payload.count <= Self.mostBytes,
            let reply = try? JSONDecoder().decode(Reply.self, from: Data(message.payload)),
            reply.cmd == command.json?.number
        else { return nil }
        guard let result = reply.result, result == 0 else {
            // Any number says that user or password are wrong, as far as is known.
            return command == .logIn
                ? .rejected(code: reply.result ?? -1) : .refused(code: reply.result ?? -1)
        }
        return command == .readStatus ? .status(VeepaStatus(version: reply.sysver)) : .done
    }
}

extension CameraCommand {
    fileprivate var json: (name: String, number: Int)? {
        switch self {
        case .logIn: ("check_user", 100)
        case .readStatus: ("get_parms", 101)
        case .startVideo, .stopVideo: ("stream", 111)
        case .takeSnapshot, .scanWiFi, .joinWiFi: nil
        }
    }
}
