internal import Foundation
internal import Lens
internal import LensPage
internal import LensScreens
public import SessionPage
internal import SessionRecording

extension ShownApp {
    /// Lens.
    public static let lens = ShownApp(
        .lens,
        screens: [
            // What is shown depends on the navigation.
            ShownScreen("navigation", NavigationScreen.self, words: ActionWords.navigation),
            ShownScreen("camera", CameraScreen.self, words: ActionWords.camera),
            ShownScreen("discovery", DiscoveryScreen.self, words: ActionWords.discovery),
            ShownScreen("setup", CameraSetupScreen.self, words: ActionWords.setup),
            ShownScreen("stream", StreamScreen.self, words: ActionWords.stream),
            ShownScreen("gallery", GalleryScreen.self, words: ActionWords.gallery),
            ShownScreen("preview", PreviewScreen.self, words: ActionWords.preview),
            ShownScreen("analysis", AnalysisScreen.self, words: ActionWords.analysis),
            ShownScreen("chat", ChatScreen.self, words: ActionWords.chat),
            ShownScreen("reply", ReplyScreen.self),
            ShownScreen("settings", SettingsScreen.self, words: ActionWords.settings),
        ],
        folders: [["stills"], ["media", "thumbnails", "pictures", "attachments", "videos"]],
        pictures: picture
    )

    /// What was sent to the assistant, `/stills/<message>`, or a photo, `/media/<id>` and the like.
    private static func picture(
        at path: Substring,
        in session: SessionReader,
        _: RecordedBodies
    ) throws(SessionError) -> ShownPicture? {
        let parts = path.split(separator: "/")
        guard parts.count == 2 else { return nil }
        let bytes: [UInt8]?
        switch parts[0] {
        case "stills":
            guard let number = Int64(parts[1]) else { return nil }
            bytes = try session.picture(inMessage: number)
        case "media", "thumbnails", "pictures", "attachments", "videos":
            guard let id = UUID(uuidString: String(parts[1])) else { return nil }
            bytes = try session.picture(endingWith: "\(id.uuidString.lowercased()).jpg")
        default: return nil
        }
        return bytes.map { .file($0) } ?? .missing
    }
}
