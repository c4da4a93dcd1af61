internal import Argus
internal import Foundation
internal import HTTPTypes
internal import PageKit
internal import Transport

/// The pictures of events: `/thumbnails/<event>`.
enum ThumbnailRoute {
    private static let folder = "/thumbnails/"

    /// The answer to a request; `nil` where no tab shows such an event, or it has no picture.
    ///
    /// It belongs to a session: no cache keeps it.
    static func answer(_ request: PageRequest<ArgusWindow>) async -> PageAnswer? {
        guard request.isReading, request.path.hasPrefix(folder),
            let eventID = request.path.dropFirst(folder.count).removingPercentEncoding
        else { return nil }
        guard let picture = await picture(of: eventID, request),
            let type = await EventThumbnails.mediaType(of: picture)
        else { return nil }
        return PageAnswer(status: .ok, type: type, body: .bytes(picture))
    }

    @MainActor
    private static func picture(of eventID: String, _ request: PageRequest<ArgusWindow>) async -> [UInt8]? {
        for window in request.windows.reversed() {
            if let picture = await window.thumbnail(of: eventID) { return picture }
        }
        return nil
    }
}
