public import Foundation

/// One message of the conversation.
public struct ChatMessage: Sendable, Hashable, Codable, Identifiable {
    /// Who speaks.
    public enum Role: String, Sendable, Hashable, Codable, CaseIterable {
        case user, assistant, system
    }

    /// What is said or shown.
    public enum Content: Sendable, Hashable, Codable {
        case text(String)
        case image(Data, caption: String?)
        case video(URL, caption: String?)
    }

    /// A picture that belongs to a message.
    public struct Picture: Sendable, Hashable {
        /// When it is seen in the message's video; `nil` for the message's image.
        public var time: Duration?
        /// A JPEG file.
        public var jpeg: Data

        /// Creates one.
        public init(_ jpeg: Data, at time: Duration? = nil) { (self.jpeg, self.time) = (jpeg, time) }
    }

    /// Never changes, also across launches.
    public var id: UUID
    /// Who speaks.
    public var role: Role
    /// What is said or shown.
    public var content: Content
    /// When it was said.
    public var timestamp: Date
    /// Whether a reply was torn off before its end.
    public var isPartial: Bool

    /// Creates a message.
    public init(
        id: UUID = UUID(),
        role: Role,
        content: Content,
        timestamp: Date = Date(),
        isPartial: Bool = false
    ) {
        self.id = id
        self.role = role
        self.content = content
        self.timestamp = timestamp
        self.isPartial = isPartial
    }

    /// The id by which ``Videos`` knows its video; `nil` for a message without one, and for a file of another name.
    public var videoID: UUID? { if case .video(let url, _) = content { ChatVideo.id(of: url) } else { nil } }

    /// The name of the file of its video.
    var videoFile: String? { if case .video(let url, _) = content { url.lastPathComponent } else { nil } }

    /// Its image, or the pictures of its video.
    func withImage(_ pictures: [Picture]) -> [Picture] {
        if case .image(let jpeg, _) = content { [Picture(jpeg)] } else { pictures }
    }

    /// The same without the bytes of its picture, which lie beside the message.
    var withoutPicture: ChatMessage {
        guard case .image(_, let caption) = content else { return self }
        var message = self
        message.content = .image(Data(), caption: caption)
        return message
    }
}
