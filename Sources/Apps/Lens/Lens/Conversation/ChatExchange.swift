internal import AppKernel
internal import Concurrency
internal import Foundation
internal import Services

/// A question that is being answered; knows nothing of the chat that has asked it, and so does not keep it alive.
struct ChatExchange: Sendable {
    /// The question, which is in the conversation already.
    let question: UUID
    /// The answer's id in the conversation; a message that has it is replaced.
    let reply: UUID
    let conversation: Conversation
    let model: any ChatModel
    let spoken: any ReplyListener
    let network: any NetworkMonitor
    let policy: ChatPolicy

    /// Asks, and keeps what is answered: whole, or what came of it, marked.
    ///
    /// - Returns: Why there is no whole answer; `nil` also when the asking task was cancelled.
    func run() async -> ChatFailure? {
        await conversation.chatReplyBegan(reply)
        await spoken.replyBegan()
        let request = ChatRequest(
            model: policy.model,
            contents: await history().contents,
            instructions: policy.instructions
        )
        let answer = await GrowingAnswer(to: request, from: model, over: network, streams: policy.streams) {
            chunk in
            await conversation.chatReplyGrew(reply, by: chunk)
            await spoken.replyGrew(by: chunk)
        }
        let message = ChatMessage(
            id: reply,
            role: .assistant,
            content: .text(answer.text),
            isPartial: !answer.isWhole
        )
        await conversation.chatReplyEnded(reply, as: answer.isBlank ? nil : message)
        if Task.isCancelled { await spoken.replyInterrupted() }
        await spoken.replyEnded(
            FinishedReply(text: answer.text, ending: answer.isWhole ? .complete : .cutOff)
        )
        return answer.reason
    }

    /// The conversation up to the question, without an answer that came in part before.
    private func history() async -> ChatHistory {
        // What could not be saved is asked all the same.
        let unsaved = await conversation.unsavedPictures
        let messages = conversation.content.value.messages
        let end = messages.lastIndex { $0.id == question } ?? messages.endIndex - 1
        return ChatHistory(messages[...end].filter { $0.id != reply }, policy) { id in
            // A picture that cannot be read is as one that is not sent again.
            unsaved[id] ?? (try? conversation.pictures(of: id)) ?? []
        }
    }
}
