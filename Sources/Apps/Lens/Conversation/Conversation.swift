public import AppKernel

/// The conversation in memory, saved message by message.
public actor Conversation: ReplyListener {
    /// All messages, oldest first.
    public nonisolated var messages: Published<[ChatMessage]> { currentMessages.published }
    /// The reply that is being given; empty between replies.
    public nonisolated var streamingResponse: Published<String> { currentResponse.published }
    /// Why the last save, load or clearing failed; `nil` after one that did not.
    public nonisolated var failure: Published<DatabaseFailure?> { lastFailure.published }

    private let currentMessages = CurrentValue<[ChatMessage]>([], backlog: 16)
    private let currentResponse = CurrentValue("")
    private let lastFailure = CurrentValue<DatabaseFailure?>(nil)
    private let store: ConversationStore

    /// Creates an empty conversation over what `store` holds.
    public init(_ store: ConversationStore) {
        self.store = store
    }

    /// Loads the saved messages; on failure the conversation is empty and ``failure`` tells why.
    ///
    /// - Returns: How many stored messages could not be understood.
    @discardableResult
    public func restore() -> Int {
        do throws(DatabaseFailure) {
            let loaded = try store.load()
            currentMessages.set(loaded.messages)
            lastFailure.set(nil)
            return loaded.unreadable
        } catch {
            lastFailure.set(error)
            return 0
        }
    }

    /// Adds a message and saves it; it stays in memory when it cannot be saved, and ``failure`` tells why.
    public func append(_ message: ChatMessage) {
        currentMessages.update { $0.append(message) }
        attempt { () throws(DatabaseFailure) in try store.save(message) }
    }

    /// Forgets everything, in memory only once the store has.
    public func clear() {
        attempt { () throws(DatabaseFailure) in
            try store.clear()
            currentMessages.set([])
        }
    }

    private func attempt(_ work: () throws(DatabaseFailure) -> Void) {
        do throws(DatabaseFailure) {
            try work()
            if failure.value != nil { lastFailure.set(nil) }
        } catch {
            lastFailure.set(error)
        }
    }

    // MARK: Replies

    /// Starts an empty streaming response.
    public func replyBegan() { currentResponse.set("") }

    /// Grows the streaming response.
    public func replyGrew(by chunk: String) { currentResponse.update { $0 += chunk } }

    /// Waits for the end.
    public func replyInterrupted() {}

    /// Turns the reply into a saved message, unless it says nothing.
    public func replyEnded(_ reply: FinishedReply) {
        if !reply.text.allSatisfy(\.isWhitespace) {
            append(ChatMessage(role: .assistant, content: .text(reply.text), isPartial: reply.isPartial))
        }
        currentResponse.set("")
    }

    /// Has nothing to do.
    public func streamEnded() {}
}
