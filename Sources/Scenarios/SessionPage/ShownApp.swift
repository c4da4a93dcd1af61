internal import Foundation
public import PageKit
public import ScreenKit
public import SessionRecording

/// An app whose recordings can be looked at, on its own page.
public struct ShownApp: Sendable {
    /// Answers the requests for the app's pictures: what a recording has at a path, which has no query.
    public typealias Pictures =
        @Sendable (_ path: Substring, SessionReader, RecordedBodies) throws(SessionError) -> ShownPicture?

    let assets: PageAssets
    let screens: [ShownScreen]
    let pictures: Pictures
    /// The folders of its pictures; those of one group have the same.
    let folders: [[String]]

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - assets: The page of the app, whose scripts have to know that it shows a recording.
    ///   - screens: Its screens; what others depend on comes first.
    ///   - folders: The first parts of the paths at which a recording may have pictures, whose second parts states name; those of one group
    ///     have the same pictures.
    ///   - pictures: What a recording has of its pictures; `nil` for a path at which there never is one.
    public init(
        _ assets: PageAssets,
        screens: [ShownScreen],
        folders: [[String]] = [],
        pictures: @escaping Pictures = { _, _, _ in nil }
    ) {
        (self.assets, self.screens, self.folders, self.pictures) = (assets, screens, folders, pictures)
    }

    /// The app's name, as people know it.
    public var name: String { assets.name }

    /// The one of some apps that has all screens of a recording; `nil` where none has, or the recording has no screens.
    ///
    /// - Throws: `damaged`.
    public static func app(
        of session: SessionReader,
        among apps: [ShownApp]
    ) throws(SessionError) -> ShownApp? {
        let names = try session.screenNames()
        guard !names.isEmpty else { return nil }
        return apps.first { app in names.isSubset(of: Set(app.screens.map(\.name))) }
    }

    func screen(_ name: String) -> ShownScreen? { screens.first { $0.name == name } }
}

/// What a page gets for a picture.
public enum ShownPicture: Sendable {
    /// A picture, as a JPEG or PNG file.
    case file([UInt8])
    /// The recording does not have it.
    case missing

    /// The type of a file by its first bytes; `nil` for one that is neither JPEG nor PNG.
    static func type(of file: [UInt8]) -> String? {
        switch file {
        case _ where file.starts(with: [0xff, 0xd8, 0xff]): "image/jpeg"
        case _ where file.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]): "image/png"
        default: nil
        }
    }
}

/// A screen of an app, as it stands in recordings.
public struct ShownScreen: Sendable {
    /// Its name in recordings.
    public let name: String
    private let reads: @Sendable (Data) -> Bool
    private let words: @Sendable (Data) -> String?

    /// Describes a screen.
    ///
    /// - Parameters:
    ///   - name: Its name in recordings.
    ///   - screen: Its type.
    ///   - words: What was done by an action, in words for people, such as `Took a photo`.
    public init<Shown: Screen>(
        _ name: String,
        _ screen: Shown.Type = Shown.self,
        words: @escaping @Sendable (Shown.Action) -> String
    ) {
        self.name = name
        reads = { (try? JSONDecoder().decode(Shown.State.self, from: $0)) != nil }
        self.words = { (try? JSONDecoder().decode(Shown.Action.self, from: $0)).map(words) }
    }

    /// Describes a screen on which nothing can be done.
    public init<Shown: Screen>(_ name: String, _ screen: Shown.Type = Shown.self) {
        self.name = name
        reads = { (try? JSONDecoder().decode(Shown.State.self, from: $0)) != nil }
        words = { _ in nil }
    }

    /// Whether a state of a recording is one that the screen has in this version.
    func understands(_ state: Data) -> Bool { reads(state) }

    /// The words for a recorded action; one of another version is named as such.
    func words(for action: RecordedScreen) -> String {
        words(Data(action.json.utf8)) ?? "Did something that this version does not know"
    }
}
