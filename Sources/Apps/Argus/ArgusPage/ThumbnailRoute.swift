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
    ///
    /// - Parameters:
    ///   - request: What the page asks for.
    ///   - picture: Finds the picture of an event.
    static func answer<Window>(
        _ request: PageRequest<Window>,
        picture: (_ eventID: String) async -> [UInt8]?
    ) async -> PageAnswer? {
        guard request.isReading, request.path.hasPrefix(folder),
            let eventID = request.path.dropFirst(folder.count).removingPercentEncoding,
            let picture = await picture(eventID),
            let type = await EventThumbnails.mediaType(of: picture)
        else { return nil }
        return PageAnswer(status: .ok, type: type, body: .bytes(picture))
    }
}
