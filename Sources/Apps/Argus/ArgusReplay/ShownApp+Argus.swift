internal import Argus
internal import ArgusPage
internal import Foundation
public import SessionPage
internal import SessionRecording

extension ShownApp {
    /// Argus.
    public static let argus = ShownApp(
        .argus,
        screens: [
            ShownScreen("root", RootViewModel.self) { action in
                switch action {
                case .open: "Opened an event"
                case .tap: "Tapped a notification"
                case .close: "Went back to the events"
                case .signOut: "Signed out"
                }
            },
            ShownScreen("pairing", PairingViewModel.self) { action in
                switch action {
                case .setCode: "Typed a code"
                case .submit: "Paired by the code"
                case .requestCode: "Asked for a code"
                case .cancelCode: "Gave the code up"
                case .dismissAlert: "Closed the alert"
                }
            },
            ShownScreen("events", EventListViewModel.self) { action in
                switch action {
                case .load: "Loaded the events"
                case .refresh: "Refreshed the events"
                case .loadMore: "Loaded earlier events"
                case .loadNewer: "Loaded newer events"
                case .retry: "Tried again"
                }
            },
            ShownScreen("detail", OpenedDetail.self) { action in
                switch action {
                case .load: "Loaded the event"
                }
            },
            ShownScreen("settings", SettingsViewModel.self) { action in
                switch action {
                case .signOut: "Signed out"
                }
            },
            ShownScreen("thumbnails", ThumbnailScreen.self) { action in
                switch action {
                case .show: "Saw the picture of an event"
                }
            },
        ],
        folders: [["thumbnails"]],
        pictures: picture
    )

    /// The picture of an event, `/thumbnails/<event>`, as a hub of the seed's dialect has given it; the public hub names its pictures otherwise.
    private static func picture(
        at path: Substring,
        in _: SessionReader,
        _ bodies: RecordedBodies
    ) throws(SessionError) -> ShownPicture? {
        let folder = "/thumbnails/"
        guard path.hasPrefix(folder), case let segment = path.dropFirst(folder.count), !segment.isEmpty
        else { return nil }
        let bytes = try bodies.body(from: "/api/v1/mobile/events/\(segment)/thumbnail")
        return bytes.map { .file($0) } ?? .missing
    }
}
