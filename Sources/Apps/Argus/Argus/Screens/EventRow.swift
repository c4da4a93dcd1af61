public import Foundation

/// An event as the list shows it.
public struct EventRow: Codable, Hashable, Sendable, Identifiable {
    /// What there is of a picture; the picture itself is at ``EventListViewModel/thumbnail(of:)``.
    public enum Thumbnail: String, Codable, Hashable, Sendable {
        /// The event has none.
        case none
        /// It is being loaded, or waits for that.
        case loading
        /// It can be shown.
        case shown
        /// It could not be had, or is no picture.
        case missing
    }

    /// The event.
    public var id: String
    /// What stands for its kind.
    public var icon: EventIcon
    /// What was seen, in the words of the hub's model.
    public var description: String
    /// The name of its camera.
    public var cameraName: String
    /// When it was.
    public var time: Date
    /// What there is of its picture.
    public var thumbnail: Thumbnail

    /// An event with the name of its camera, from the names by their IDs.
    init(_ event: Event, cameras: [String: String], thumbnail: Thumbnail) {
        id = event.id
        icon = event.detectionType.icon
        description = event.description
        cameraName = cameras[event.cameraID] ?? Camera.unknownName
        time = event.timestamp
        self.thumbnail = thumbnail
    }
}
