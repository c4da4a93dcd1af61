public import AppKernel
public import Observation

/// The chat screen, as far as it shows what is said during a stream.
@MainActor
@Observable
public final class ChatViewModel {
    /// All messages, oldest first.
    public private(set) var messages: [ChatMessage] = []
    /// The reply that is being given; empty between replies.
    public private(set) var streamingResponse: String = ""
    /// Whether a reply is being given.
    public var isStreaming: Bool { !streamingResponse.isEmpty }
    /// Why the history could not be saved, loaded or cleared.
    public private(set) var error: DatabaseFailure?

    private let conversation: Conversation
    private let observation = OwnedTasks()

    /// Creates the view model of a conversation.
    public init(_ conversation: Conversation) {
        self.conversation = conversation
    }

    /// Starts to follow the conversation.
    public func onAppear() {
        observation.replace(with: [
            follow(conversation.messages) { model, messages in model.messages = messages },
            follow(conversation.streamingResponse) { model, text in model.streamingResponse = text },
            follow(conversation.failure) { model, failure in model.error = failure },
        ])
    }

    /// Stops to follow the conversation.
    public func onDisappear() { observation.cancelAll() }

    /// Forgets the conversation, here and in the store.
    public func clearHistory() async {
        await conversation.clear()
        messages = conversation.messages.value
        error = conversation.failure.value
    }
}

extension ChatViewModel: Following {}
