internal import Foundation
internal import LensScreens

/// The states of the screens of Lens, as they stand in recordings.
enum RecordedState {
    /// The screens, navigation first: what is shown depends on it.
    static let names = [
        "navigation", "camera", "discovery", "setup", "stream", "gallery", "preview", "analysis", "chat",
        "reply", "settings",
    ]

    /// Whether a state of a recording is one that the screen has in this version.
    static func isUnderstood(_ bytes: Data, of screen: String) -> Bool {
        func reads<State: Decodable>(_ type: State.Type) -> Bool {
            (try? JSONDecoder().decode(type, from: bytes)) != nil
        }
        return switch screen {
        case "navigation": reads(NavigationScreen.State.self)
        case "camera": reads(CameraScreen.State.self)
        case "discovery": reads(DiscoveryScreen.State.self)
        case "setup": reads(CameraSetupScreen.State.self)
        case "stream": reads(StreamScreen.State.self)
        case "gallery": reads(GalleryScreen.State.self)
        case "preview": reads(PreviewScreen.State.self)
        case "analysis": reads(AnalysisScreen.State.self)
        case "chat": reads(ChatScreen.State.self)
        case "reply": reads(ReplyScreen.State.self)
        case "settings": reads(SettingsScreen.State.self)
        default: false
        }
    }
}
