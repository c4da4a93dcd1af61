/// What kind of notification it is: `apns-push-type`.
///
/// Source: Apple, "Sending notification requests to APNs".
enum PushType: String, Sendable {
    case alert, background, location, voip, complication, fileprovider, mdm, liveactivity, pushtotalk,
        widgets,
        controls

    /// What follows the bundle ID in the topic of such a notification.
    var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .location: ".location-query"
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .widgets: ".push-type.widgets"
        case .controls: ".push-type.controls"
        }
    }

    /// The most bytes of its payload.
    var payloadLimit: Int { self == .voip ? 5120 : 4096 }
}
