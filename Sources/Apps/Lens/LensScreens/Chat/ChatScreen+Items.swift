public import Foundation
public import Lens

extension ChatScreen {
    /// A message as it is shown.
    public struct Message: Codable, Hashable, Sendable, Identifiable {
        /// Never changes.
        public var id: UUID
        /// Who speaks.
        public var role: ChatMessage.Role
        /// What is said, or the caption of a picture or video.
        public var text: String
        /// Whether a picture belongs to it, which is asked for by its id: of a video the first that the assistant got.
        public var hasPicture: Bool
        /// Whether it has a video, which ``Action/openVideo(_:)`` shows.
        public var hasVideo: Bool
        /// Whether the reply was torn off before its end.
        public var isPartial: Bool
        /// When it was said.
        public var timestamp: Date

        /// Shows a message of the conversation.
        public init(_ message: ChatMessage) {
            id = message.id
            role = message.role
            isPartial = message.isPartial
            timestamp = message.timestamp
            switch message.content {
            case .text(let text): (self.text, hasPicture, hasVideo) = (text, false, false)
            case .image(_, let caption): (text, hasPicture, hasVideo) = (caption ?? "", true, false)
            case .video(_, let caption): (text, hasPicture, hasVideo) = (caption ?? "", true, true)
            }
        }
    }

    /// A picture or video that goes with the next message; it is asked for by its id.
    public struct Attachment: Codable, Hashable, Sendable, Identifiable {
        /// The photo's or video's, or one that was drawn for a file.
        public var id: UUID
        /// What it is.
        public var kind: MediaItem.Kind
        /// Whether it is a file that is no item of the gallery.
        public var isFile: Bool
    }

    /// What can be attached to the next message: photos and videos of the gallery; files can besides, where the user has some.
    public struct AttachmentMenu: Codable, Hashable, Sendable {
        /// A photo or video of the gallery.
        public struct Choice: Codable, Hashable, Sendable, Identifiable {
            /// Never changes.
            public var id: UUID
            /// When it was taken.
            public var createdAt: Date
        }

        /// The newest photos, newest first, at most ``limit``.
        public var photos: [Choice]
        /// The newest videos, newest first, at most ``limit``.
        public var videos: [Choice]

        /// The most photos, and the most videos, that are offered.
        public static let limit: Int = 100

        init(_ items: [MediaItem]) {
            func newest(_ kind: MediaItem.Kind) -> [Choice] {
                items.lazy.filter { $0.kind == kind }.prefix(Self.limit).map {
                    Choice(id: $0.id, createdAt: $0.createdAt)
                }
            }
            (photos, videos) = (newest(.photo), newest(.video))
        }
    }

    /// A message's video that is shown.
    public struct OpenVideo: Codable, Hashable, Sendable {
        /// The message's id.
        public var message: UUID
        /// The id by which the video's pictures are asked for.
        public var id: UUID
        /// What there is to play.
        public var video: Videos.Description
    }
}
