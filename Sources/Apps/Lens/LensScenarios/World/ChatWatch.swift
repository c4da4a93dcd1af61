import AppKernel
import Concurrency
import Foundation
import GeminiServer
import Lens
import ScenarioKit
import Synchronization

/// What a user has seen of the conversation, over all starts of the phone, and what has to be there for it.
///
/// It is outside of the phone: a user remembers what was on the screen when the phone dies.
final class ChatWatch: Sendable {
    private struct Seen {
        /// Messages in the order in which they were first shown, each as it was shown last.
        var messages: [ChatMessage] = []
        var places: [UUID: Int] = [:]
    }

    private let seen = Mutex(Seen())

    /// How many messages were shown.
    var count: Int { seen.withLock { $0.messages.count } }

    /// Looks at a conversation until the returned task is cancelled, or the conversation is gone.
    ///
    /// What is shown together with the word that it could not be saved is not counted on.
    func follow(_ conversation: Conversation) -> Task<Void, Never> {
        Task {
            for await content in conversation.content.values() where content.failure == nil {
                note(content.messages)
            }
        }
    }

    /// Remembers what is shown now.
    func note(_ messages: [ChatMessage]) {
        seen.withLock { seen in
            for message in messages {
                if let place = seen.places[message.id] {
                    seen.messages[place] = message
                } else {
                    seen.places[message.id] = seen.messages.count
                    seen.messages.append(message)
                }
            }
        }
    }

    /// What was shown is in the history, once and in order; answers are what the model has said, whole or marked as cut.
    ///
    /// - Parameter isDoubling: Whether the service has sent events twice.
    func check(_ history: [ChatMessage], _ book: AnswerBook, isDoubling: Bool) throws {
        let shown = seen.withLock { $0.messages }
        let ids = history.map(\.id)
        try ScenarioKit.check(
            ids.hasNoDuplicates,
            RecordedLens.shownOnce.sentence,
            "\(ids.count) messages"
        )
        let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        let lost = shown.filter { places[$0.id] == nil }
        try ScenarioKit.check(
            lost.isEmpty,
            "a message that was shown is in the history",
            lost.map(\.summary).joined()
        )
        let order = shown.compactMap { places[$0.id] }
        try ScenarioKit.check(
            zip(order, order.dropFirst()).allSatisfy { $0 < $1 },
            "messages stay in the order in which they were shown",
            "\(order)"
        )
        for message in shown where !message.isPartial {
            guard let place = places[message.id] else { continue }
            try ScenarioKit.check(
                history[place] == message,
                "a whole message stays as it was shown",
                "\(history[place].summary) instead of \(message.summary)"
            )
        }
        try checkAnswers(history, book.entries, isDoubling: isDoubling)
        try checkRequests(book.entries)
    }

    private func checkAnswers(
        _ history: [ChatMessage],
        _ entries: [AnswerBook.Entry],
        isDoubling: Bool
    ) throws {
        for (index, message) in history.enumerated() where message.role == .assistant {
            try ScenarioKit.check(
                index > 0 && history[index - 1].role == .user,
                "an answer follows what it answers",
                message.summary
            )
            let isSaid = entries.contains { entry in
                message.isPartial
                    ? !message.text.isEmpty
                        && entry.matches(message.text, isCut: true, isDoubling: isDoubling)
                    : entry.isWhole && entry.matches(message.text, isCut: false, isDoubling: isDoubling)
            }
            try ScenarioKit.check(
                isSaid,
                "an answer is what the model has said, whole or marked as cut",
                message.summary
            )
        }
    }

    /// What the model was given takes turns, and has nothing twice.
    private func checkRequests(_ entries: [AnswerBook.Entry]) throws {
        for entry in entries {
            let texts = entry.contents.flatMap(\.parts).compactMap { part -> String? in
                if case .text(let text) = part, text.hasPrefix("Question") { text } else { nil }
            }
            try ScenarioKit.check(
                texts.hasNoDuplicates,
                "no question is sent twice in one request",
                "\(texts)"
            )
        }
    }
}

extension ChatMessage {
    /// Its words.
    fileprivate var text: String {
        switch content {
        case .text(let text): text
        case .image(_, let caption), .video(_, let caption): caption ?? ""
        }
    }

    fileprivate var summary: String { "[\(role) \(isPartial ? "cut " : "")“\(text)”]" }
}
