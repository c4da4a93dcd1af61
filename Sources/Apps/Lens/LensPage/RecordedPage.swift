public import Files
internal import Foundation
internal import Lens
public import PageKit
public import Services

/// The page of an app that runs in a session that is being recorded.
public enum RecordedPage {
    /// The server of the page, whose windows come from elsewhere, with the screens of Lens.
    ///
    /// Shown are the screens, photos and videos, and what the camera sees. Pictures of messages are not, and nothing can be attached: what a page
    /// sends beside its actions is in no recording.
    ///
    /// - Parameters:
    ///   - documents: Where the app keeps its photos.
    ///   - latestFrame: The newest picture that the app had of its camera.
    ///   - encoder: Makes the pictures of the preview.
    ///   - speech: The app's voice.
    ///   - hearing: The app's recognizer and microphone.
    ///   - token: What a browser needs.
    ///   - window: Makes the screens of a new tab.
    public static func server<Window: PageWindow>(
        documents: FileFolder,
        latestFrame: @escaping @Sendable () async -> VideoFrame?,
        encoder: SharedFrameEncoder,
        speech: BrowserSpeech,
        hearing: BrowserHearing,
        token: PageToken,
        window: @escaping @MainActor @Sendable () -> Window
    ) -> PageServer<Window> {
        let pictures = PictureRoutes(
            documents: documents,
            preview: PreviewStream(latestFrame: latestFrame) { try await encoder.encode($0) }
        )
        return PageServer(
            .lens,
            token: token,
            speech: speech,
            hearing: hearing,
            routes: { request in
                guard request.isReading else { return nil }
                if request.path == "/frames" { return pictures.frames() }
                let parts = request.path.split(separator: "/")
                guard parts.count == 2, let id = UUID(uuidString: String(parts[1])) else { return nil }
                return switch parts[0] {
                case "media": pictures.media(id)
                case "thumbnails": pictures.photo(id)
                default: nil
                }
            },
            window: window
        )
    }
}
