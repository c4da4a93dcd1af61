public import AppKernel
public import Concurrency
public import Foundation

/// The conversation: every message is in the database, the newest are in memory.
public actor Conversation: ReplyListener {
    /// What of the conversation is in memory; changes in one step, so that a reply is either growing or a message.
    public struct Content: Sendable, Hashable {
        /// The newest messages, oldest first, without the bytes of their pictures.
        public internal(set) var messages: [ChatMessage] = []
        /// Whether the database has messages before these.
        public internal(set) var hasEarlier: Bool = false
        /// The reply that is being given; empty between replies.
        public internal(set) var streamingResponse: String = ""
        /// How often it was cleared: earlier pages of before are of a conversation that is gone.
        public internal(set) var clears: Int = 0
        /// Why the last save, load or clearing failed; `nil` after one that did not.
        public internal(set) var failure: DatabaseFailure?

        /// The newest question, if it has no whole answer.
        public var unanswered: UUID? {
            guard let newest = messages.last else { return nil }
            if newest.role == .user { return newest.id }
            guard newest.isPartial, let before = messages.dropLast().last, before.role == .user else {
                return nil
            }
            return before.id
        }
    }

    /// How many messages are in memory.
    public static let window: Int = 200

    /// The present content.
    public nonisolated var content: Published<Content> { current.published }

    private let current = CurrentValue(Content(), backlog: 16)
    private let store: ConversationStore
    /// Messages that could not be saved, oldest first; saved before the next one is.
    private var unsaved: [(message: ChatMessage, pictures: [ChatMessage.Picture])] = []
    /// Messages that were withdrawn and could not be deleted; deleted before the next message is saved.
    private var withdrawn: [UUID] = []
    /// The chat's answer that is being given, unless the conversation was cleared since it began.
    private var chatReply: UUID?
    /// Whether it is the one that is shown as growing: a live reply that begins takes its place.
    private var showsChatReply = false
    /// The message that a live reply has become before its end, since the user spoke.
    private var interrupted: (message: ChatMessage, isCleared: Bool)?

    /// Creates an empty conversation over what `store` holds.
    public init(_ store: ConversationStore) {
        self.store = store
    }

    /// Loads the newest messages; on failure the conversation is empty, and ``Content/failure`` tells why.
    ///
    /// - Returns: How many of them could not be understood.
    @discardableResult
    public func restore() -> Int {
        do throws(DatabaseFailure) {
            let page = try store.page(before: nil, limit: Self.window)
            current.update {
                $0.messages = page.messages
                $0.hasEarlier = page.hasEarlier
                $0.failure = nil
            }
            return page.unreadable
        } catch {
            current.update { $0.failure = error }
            return 0
        }
    }

    /// Messages from the database that were saved before another, as many as ``window`` at most, oldest first, without the
    /// bytes of their pictures.
    public nonisolated func page(before id: UUID) throws(DatabaseFailure) -> ConversationStore.Page {
        try store.page(before: id, limit: Self.window)
    }

    /// The bytes of a message's image, or of the first picture of its video; `nil` when it has none.
    public nonisolated func picture(of id: UUID) throws(DatabaseFailure) -> Data? {
        try store.picture(of: id)
    }

    /// A message's image, or the pictures of its video that models get, in the order of their times.
    public nonisolated func pictures(of id: UUID) throws(DatabaseFailure) -> [ChatMessage.Picture] {
        try store.pictures(of: id)
    }

    /// The pictures of messages that could not be saved yet.
    var unsavedPictures: [UUID: [ChatMessage.Picture]] {
        Dictionary(unsaved.map { ($0.message.id, $0.message.withImage($0.pictures)) }) { $1 }
    }

    /// The names of the files of all videos that messages have.
    func videoFiles() throws(DatabaseFailure) -> Set<String> {
        try store.videoFiles().union(unsaved.compactMap { $0.message.videoFile })
    }

    /// Adds a message and saves it.
    ///
    /// One that cannot be saved stays in memory, ``Content/failure`` tells why, and it is saved before the next one.
    ///
    /// A live reply that is being given becomes a message before it, and takes in there what is still to come of it.
    ///
    /// - Parameters:
    ///   - message: What is said.
    ///   - pictures: Of its video, as models get them.
    public func append(_ message: ChatMessage, pictures: [ChatMessage.Picture] = []) {
        let text = current.value.streamingResponse
        if !showsChatReply, interrupted == nil, !text.allSatisfy(\.isWhitespace) {
            let reply = ChatMessage(role: .assistant, content: .text(text), isPartial: true)
            interrupted = (reply, isCleared: false)
            add(reply) { $0.streamingResponse = "" }
        }
        add(message, pictures) { _ in }
    }

    /// Takes back a message that could not be said.
    ///
    /// It leaves the memory in any case. If the database fails, ``Content/failure`` tells why, and the message is deleted there before
    /// the next one is saved.
    public func withdraw(_ id: UUID) {
        unsaved.removeAll { $0.message.id == id }
        withdrawn.append(id)
        var failure = current.value.failure
        do throws(DatabaseFailure) {
            try deleteWithdrawn()
            if unsaved.isEmpty { failure = nil }
        } catch let error {
            failure = error
        }
        current.update { content in
            content.messages.removeAll { $0.id == id }
            content.failure = failure
        }
    }

    private func deleteWithdrawn() throws(DatabaseFailure) {
        while let id = withdrawn.first {
            try store.delete(id)
            withdrawn.removeFirst()
        }
    }

    /// Forgets everything, in memory only once the store has.
    public func clear() {
        do throws(DatabaseFailure) {
            try store.clear()
            (unsaved, withdrawn) = ([], [])
            chatReply = nil
            interrupted?.isCleared = true
            current.update {
                $0.messages = []
                $0.hasEarlier = false
                if showsChatReply { $0.streamingResponse = "" }
                $0.clears += 1
                $0.failure = nil
            }
        } catch {
            current.update { $0.failure = error }
        }
    }

    /// Saves, then publishes the message together with another change, in one step.
    private func add(
        _ message: ChatMessage,
        _ pictures: [ChatMessage.Picture] = [],
        with change: (inout Content) -> Void
    ) {
        unsaved.append((message, pictures))
        var failure: DatabaseFailure?
        do throws(DatabaseFailure) {
            try deleteWithdrawn()
            while let next = unsaved.first {
                try store.save(next.message, pictures: next.pictures)
                unsaved.removeFirst()
            }
        } catch {
            failure = error
        }
        current.update { content in
            if let index = content.messages.lastIndex(where: { $0.id == message.id }) {
                content.messages[index] = message.withoutPicture
            } else {
                content.messages.append(message.withoutPicture)
            }
            // What is nowhere else stays.
            let surplus = content.messages.count - max(Self.window, unsaved.count)
            if surplus > 0 {
                content.messages.removeFirst(surplus)
                content.hasEarlier = true
            }
            content.failure = failure
            change(&content)
        }
    }

    // MARK: Replies

    /// Starts an empty streaming response.
    public func replyBegan() {
        (showsChatReply, interrupted) = (false, nil)
        current.update { $0.streamingResponse = "" }
    }

    /// Grows the streaming response.
    public func replyGrew(by chunk: String) {
        guard interrupted == nil else { return }
        current.update { $0.streamingResponse += chunk }
    }

    /// Waits for the end.
    public func replyInterrupted() {}

    /// Turns the reply into a saved message, unless it says nothing.
    public func replyEnded(_ reply: FinishedReply) {
        if let (kept, isCleared) = interrupted {
            interrupted = nil
            guard !isCleared else { return }
            var message = kept
            message.content = .text(reply.text)
            message.isPartial = reply.isPartial
            return add(message) { _ in }
        }
        guard !reply.text.allSatisfy(\.isWhitespace) else {
            return current.update { $0.streamingResponse = "" }
        }
        add(ChatMessage(role: .assistant, content: .text(reply.text), isPartial: reply.isPartial)) {
            $0.streamingResponse = ""
        }
    }

    /// Has nothing to do.
    public func streamEnded() {}

    // MARK: The chat's answers

    /// Starts an empty streaming response for an answer of the chat.
    func chatReplyBegan(_ id: UUID) {
        (chatReply, showsChatReply) = (id, true)
        current.update { $0.streamingResponse = "" }
    }

    /// Grows the streaming response.
    func chatReplyGrew(_ id: UUID, by chunk: String) {
        guard chatReply == id, showsChatReply else { return }
        current.update { $0.streamingResponse += chunk }
    }

    /// Turns the answer into a saved message, in place of an earlier one of its id; `nil` for one that says nothing.
    ///
    /// An answer in a conversation that was cleared meanwhile is forgotten.
    func chatReplyEnded(_ id: UUID, as message: ChatMessage?) {
        guard chatReply == id else { return }
        let wasShown = showsChatReply
        (chatReply, showsChatReply) = (nil, false)
        let change = { @Sendable (content: inout Content) in if wasShown { content.streamingResponse = "" } }
        if let message { add(message, with: change) } else { current.update(change) }
    }
}
