internal import AppKernel
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

    /// How the answer has come so far.
    private struct Progress {
        var text = ""
        var ending: ChatEnding?
        var failure: ChatModelError?
        /// The answer is longer than is kept.
        var isOverfull = false

        var isWhole: Bool { ending?.isComplete == true && !isOverfull && failure == nil }
    }

    /// Asks, and keeps what is answered: whole, or what came of it, marked.
    ///
    /// - Returns: Why there is no whole answer; `nil` also when the asking task was cancelled.
    func run() async -> ChatFailure? {
        await conversation.chatReplyBegan(reply)
        await spoken.replyBegan()
        let progress = await answer()
        let isBlank = progress.text.allSatisfy(\.isWhitespace)
        let message = ChatMessage(
            id: reply,
            role: .assistant,
            content: .text(progress.text),
            isPartial: !progress.isWhole
        )
        await conversation.chatReplyEnded(reply, as: isBlank ? nil : message)
        if Task.isCancelled { await spoken.replyInterrupted() }
        await spoken.replyEnded(
            FinishedReply(text: progress.text, ending: progress.isWhole ? .complete : .cutOff)
        )
        return Self.failure(progress, isBlank: isBlank)
    }

    private func answer() async -> Progress {
        var progress = Progress()
        let request = ChatRequest(
            model: policy.model,
            contents: await history().contents,
            instructions: policy.instructions
        )
        do throws(ChatModelError) {
            guard network.isConnected else {
                throw ChatModelError(
                    .unreachable,
                    operation: "send a message",
                    peer: "chat",
                    detail: "the device has no network"
                )
            }
            if policy.streams {
                for try await event in try await model.stream(request) { await take(event, &progress) }
            } else {
                let answer = try await model.generate(request)
                await take(.text(answer.text), &progress)
                await take(.ended(answer.ending), &progress)
            }
        } catch {
            progress.failure = error
        }
        return progress
    }

    private func take(_ event: ChatEvent, _ progress: inout Progress) async {
        switch event {
        case .text(let chunk):
            guard !chunk.isEmpty, !progress.isOverfull else { return }
            guard progress.text.utf8.count + chunk.utf8.count <= ReplyAssembler.byteLimit else {
                progress.isOverfull = true
                return
            }
            progress.text += chunk
            await conversation.chatReplyGrew(reply, by: chunk)
            await spoken.replyGrew(by: chunk)
        case .ended(let ending): progress.ending = ending
        case .thought, .part, .citation, .alternative, .usage: break
        }
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

    private static func failure(_ progress: Progress, isBlank: Bool) -> ChatFailure? {
        if let failure = progress.failure { return failure.code == .cancelled ? nil : .model(failure) }
        switch progress.ending {
        case .blocked(let reason, _): return .blocked(reason)
        case .finished(.stop, _), nil: return isBlank ? .silent : nil
        // The reply says so itself, by being marked.
        case .finished(.tokenLimit, _) where !isBlank: return nil
        case .finished(let reason, _): return .stopped(reason)
        }
    }
}
