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

    /// The same without the bytes of its picture, which lie beside the message.
    var withoutPicture: ChatMessage {
        guard case .image(_, let caption) = content else { return self }
        var message = self
        message.content = .image(Data(), caption: caption)
        return message
    }
}
