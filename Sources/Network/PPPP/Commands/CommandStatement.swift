import Foundation

/// What a command says, without anything that might be a secret: only fields that are known to be harmless are shown.
struct CommandStatement {
    private static let hidden = "<redacted>"
    /// Parameters of requests of CGI, and members of requests in JSON.
    private static let harmless: Set<String> = [
        "name", "streamid", "substream", "sensor", "enable", "ssid", "channel", "mode", "authtype", "encrypt",
        "keyformat", "defkey", "loginuse", "user", "pro", "cmd", "video", "devmac",
    ]

    /// The command, for people and for comparison.
    let text: String

    /// - Parameter piece: What one packet carried.
    init(_ piece: [UInt8]) {
        text =
            CommandFraming.allCases.lazy.compactMap { Self.text(of: piece, $0) }.first
            ?? "a piece of a command"
    }

    private static func text(of piece: [UInt8], _ framing: CommandFraming) -> String? {
        var assembler = CommandAssembler(framing)
        let messages = assembler.append(piece[...])
        // The beginning of a longer command, or the end of one, may be a part of a password.
        guard let message = messages.first, messages.count == 1, message.bytes(framing).count == piece.count
        else {
            return nil
        }
        switch framing {
        case .cgi: return cgi(message)
        case .json: return json(message)
        case .binary: return binary(message)
        }
    }

    private static func cgi(_ message: CommandMessage) -> String {
        guard let request = CGIRequest(message.payload) else { return "a command of CGI" }
        let parameters = request.parameters.map { parameter in
            harmless.contains(parameter.name)
                ? "\(parameter.name)=\(parameter.value)" : "\(parameter.name)=\(hidden)"
        }
        return ([request.program] + parameters).joined(separator: " ")
    }

    private static func json(_ message: CommandMessage) -> String {
        guard let object = try? JSONSerialization.jsonObject(with: Data(message.payload)) as? [String: Any]
        else {
            return "a command in JSON"
        }
        let members = object.sorted { $0.key < $1.key }.map { name, value in
            let isShown = harmless.contains(name) && (value is String || value is NSNumber)
            return "\(name)=\(isShown ? "\(value)" : hidden)"
        }
        return members.joined(separator: " ")
    }

    private static func binary(_ message: CommandMessage) -> String {
        let ticket = "ticket \(message.token)"
        switch BinaryCode(rawValue: message.code) {
        case .checkUser: return "checkUser \(BinaryLogin(message.payload)?.user ?? hidden) \(ticket)"
        case .setWiFi:
            let choice = BinaryWiFiChoice(message.payload)
            return
                "setWiFi \(choice?.name ?? hidden) \(choice?.security ?? 0) \(choice?.channel ?? 0) \(ticket)"
        case .status, .startVideo, .stopVideo, .videoParameter, .scanWiFi:
            return "command \(message.code) \(PPPPDatagrams.hex(message.payload)) \(ticket)"
        case nil: return "command \(message.code) \(ticket)"
        }
    }
}
