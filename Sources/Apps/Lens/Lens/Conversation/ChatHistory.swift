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
    ///   - pictures: The pictures of a message that can be read.
    init(_ messages: [ChatMessage], _ policy: ChatPolicy, pictures kept: (UUID) -> [ChatMessage.Picture]) {
        var (bytes, pictures) = (policy.historyBytes, policy.historyPictures)
        var chosen: [ChatContent] = []
        for (age, message) in messages.reversed().enumerated() where message.role != .system {
            if age > 0 {
                bytes -= message.words.utf8.count
                if bytes < 0 { break }
            }
            var parts: [ChatPart] = message.words.isEmpty ? [] : [.text(message.words)]
            if let kind = message.pictureKind {
                let shown =
                    pictures > 0 || age == 0
                    ? kept(message.id).spread(atMost: age == 0 ? .max : pictures) : []
                if let times = Self.times(shown) { parts.append(.text(times)) }
                parts += shown.map { .inline(mediaType: "image/jpeg", Array($0.jpeg)) }
                if parts.isEmpty { parts = [.text("(A \(kind) that is not shown again.)")] }
                pictures -= max(1, shown.count)
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

    /// Says of pictures that they are of a video, and when they are seen.
    private static func times(_ pictures: [ChatMessage.Picture]) -> String? {
        let seconds = pictures.compactMap(\.time).map { time in
            let tenths = Int((time / .milliseconds(100)).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
        guard !seconds.isEmpty else { return nil }
        return
            "(A video. Its pictures, in order, are seen at these seconds: \(seconds.joined(separator: ", ")).)"
    }
}

extension [ChatMessage.Picture] {
    /// At most so many of them, spread evenly.
    fileprivate func spread(atMost limit: Int) -> [ChatMessage.Picture] {
        guard count > limit else { return self }
        return (0..<limit).map { self[(2 * $0 + 1) * count / (2 * limit)] }
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

    /// What pictures of it are pictures of; `nil` for words.
    fileprivate var pictureKind: String? {
        switch content {
        case .text: nil
        case .image: "picture"
        case .video: "video"
        }
    }
}
