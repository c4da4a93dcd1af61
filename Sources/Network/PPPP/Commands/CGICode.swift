/// The number by which an answer of the CGI dialect says which program it is of.
///
/// Source: the vendor's app, as public clients repeat it.
package enum CGICode: UInt16, Sendable, CaseIterable {
    case status = 0x6001
    case parameters = 0x6002
    case setWiFi = 0x6011
    case cameraControl = 0x6012
    case snapshot = 0x6015
    case motor = 0x6019
    case scanWiFi = 0x602A
    case audioStream = 0x6031
    case liveStream = 0x6037
    case notification = 0x6040
    case checkUser = 0x60A0

    /// The name of the program; `nil` for what only cameras send.
    package var program: String? {
        switch self {
        case .status: "get_status.cgi"
        case .parameters: "get_params.cgi"
        case .setWiFi: "set_wifi.cgi"
        case .cameraControl: "camera_control.cgi"
        case .snapshot: "snapshot.cgi"
        case .motor: "decoder_control.cgi"
        case .scanWiFi: "wifi_scan.cgi"
        case .audioStream: "audiostream.cgi"
        case .liveStream: "livestream.cgi"
        case .notification: nil
        case .checkUser: "check_user.cgi"
        }
    }

    package init?(program: String) {
        guard let code = Self.allCases.first(where: { $0.program == program }) else { return nil }
        self = code
    }
}
