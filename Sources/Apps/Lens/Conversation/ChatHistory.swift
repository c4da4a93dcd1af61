internal import Foundation
internal import Services

/// What of the conversation goes to a model that remembers nothing.
struct ChatHistory {
    /// The contents, oldest first; user and model take turns, and the first and the last are the user's.
    let contents: [ChatContent]

    /// Chooses what is sent with a question: the newest messages in a row that fit.
    ///
    /// Neighbours of one speaker become one content: a question that was not answered stands before the next one.
    ///
    /// - Parameters:
    ///   - messages: The conversation up to the question, which is the last and always sent.
    ///   - policy: How much is sent.
    ///   - picture: The bytes of a message's picture, if they can be read.
    init(_ messages: [ChatMessage], _ policy: ChatPolicy, picture: (UUID) -> [UInt8]?) {
        var (bytes, pictures) = (policy.historyBytes, policy.historyPictures)
        var chosen: [ChatContent] = []
        for (age, message) in messages.reversed().enumerated() where message.role != .system {
            if age > 0 {
                bytes -= message.words.utf8.count
                if bytes < 0 { break }
            }
            var parts: [ChatPart] = message.words.isEmpty ? [] : [.text(message.words)]
            if message.hasPicture {
                if pictures > 0 || age == 0, let jpeg = picture(message.id) {
                    parts.append(.inline(mediaType: "image/jpeg", jpeg))
                } else if parts.isEmpty {
                    parts = [.text("(A picture that is not shown again.)")]
                }
                pictures -= 1
            }
            guard !parts.isEmpty else { continue }
            chosen.append(ChatContent(message.role == .user ? .user : .model, parts))
        }
        var contents: [ChatContent] = []
        for content in chosen.reversed() {
            if contents.last?.role == content.role {
                contents[contents.count - 1].parts += content.parts
            } else if content.role == .user || !contents.isEmpty {
                contents.append(content)
            }
        }
        self.contents = contents
    }
}

extension ChatMessage {
    /// What is said in words.
    fileprivate var words: String {
        switch content {
        case .text(let text): text
        case .image(_, let caption), .video(_, let caption): caption ?? ""
        }
    }

    fileprivate var hasPicture: Bool { if case .image = content { true } else { false } }
}
