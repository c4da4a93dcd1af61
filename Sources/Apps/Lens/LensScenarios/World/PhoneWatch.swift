import AppKernel
import Concurrency
import Foundation
import Lens
import ScenarioKit
import Services
import SimulatedDevice

/// What a user expects of one run of the app, whatever goes wrong around it.
struct PhoneWatch: Sendable {
    let lens: LensApp
    let model: ModelWatch
    let speech: SimulatedSpeechSynthesizer

    /// Every answer that reached the app is in the conversation: once, in order, whole or marked as cut off.
    ///
    /// - Parameter checked: The answers that were checked and forgotten.
    func checkConversation(after checked: CheckedAnswers = CheckedAnswers(), waits: Bool = true) throws {
        try model.verify(waits: waits)
        let messages = try wholeConversation()
        let later = Self.rest(of: messages, after: checked.last)
        var earlier = CheckedAnswers()
        earlier.append(messages.dropLast(later.count).filter { $0.role == .assistant })
        try check(
            earlier == checked,
            "answers that were kept stay as they are",
            "\(earlier.count) of \(checked.count)"
        )
        try compare(
            later.filter { $0.role == .assistant },
            model.heard.filter { !$0.text.allSatisfy(\.isWhitespace) }
        )
        let ids = messages.map(\.id)
        try check(ids.hasNoDuplicates, RecordedLens.shownOnce.sentence, "\(ids.count)")
    }

    /// Checks speech and the answers to which nothing can come any more, as ``checkSpeech()`` and ``checkConversation(after:waits:)`` do,
    /// and forgets the answers, so that the lists of a long stream stay short.
    ///
    /// - Parameter checked: The answers that were checked before; those of this call are added.
    func checkOldAnswers(_ checked: inout CheckedAnswers) throws {
        try checkSpeech()
        let settled = model.settled
        let heard = settled.filter { !$0.text.allSatisfy(\.isWhitespace) }
        let kept = try conversation(after: checked.last).filter { $0.role == .assistant }
        let old = Array(kept.prefix(Self.words(of: heard, as: kept.map(Self.words)).count))
        try compare(old, heard)
        model.forgetHeard(settled.count)
        checked.append(old)
    }

    /// What is left of answers that were checked and forgotten.
    struct CheckedAnswers: Equatable {
        /// The message of the last one.
        private(set) var last: UUID?
        private(set) var count = 0
        private var hash = 0

        fileprivate mutating func append(_ messages: [ChatMessage]) {
            for message in messages {
                var hasher = Hasher()
                hasher.combine(hash)
                hasher.combine(message.id)
                hasher.combine(PhoneWatch.words(of: message))
                (hash, count, last) = (hasher.finalize(), count + 1, message.id)
            }
        }
    }

    private static func words(of message: ChatMessage) -> String {
        guard case .text(let text) = message.content else { return "no text" }
        return (message.isPartial ? "cut off: " : "whole: ") + text
    }

    /// What is to be kept of answers.
    ///
    /// An answer that stood still may be kept in two parts, the first as cut off: its app took it for lost, and then it went on before the next question.
    private static func words(of answers: [ModelWatch.Heard], as kept: [String]) -> [String] {
        var words: [String] = []
        for answer in answers {
            var begin = 0
            for end in answer.standstills {
                let part = "cut off: " + answer.part(begin..<end)
                guard words.count < kept.count, kept[words.count] == part else { continue }
                words.append(part)
                begin = end
            }
            words.append(
                (answer.isComplete ? "whole: " : "cut off: ") + answer.part(begin..<answer.text.utf8.count)
            )
        }
        return words
    }

    private func compare(_ messages: [ChatMessage], _ answers: [ModelWatch.Heard]) throws {
        let kept = messages.map(Self.words)
        let heard = Self.words(of: answers, as: kept)
        let differing = zip(kept, heard).first { $0 != $1 }
        try check(
            kept == heard,
            "answers that arrive are kept, once, in order and as they are",
            differing.map { "kept “\($0)” of “\($1)”" } ?? "kept \(kept.count) of \(heard.count)"
        )
    }

    /// What is in memory, after what is in the database alone.
    func wholeConversation() throws -> [ChatMessage] { try conversation(after: nil) }

    /// What comes after a message, or all of it.
    private func conversation(after last: UUID?) throws -> [ChatMessage] {
        var (messages, hasEarlier) = (
            lens.conversation.content.value.messages, lens.conversation.content.value.hasEarlier
        )
        while hasEarlier, let first = messages.first, !messages.contains(where: { $0.id == last }) {
            let page = try lens.conversation.page(before: first.id)
            messages = page.messages + messages
            hasEarlier = page.hasEarlier
        }
        return Self.rest(of: messages, after: last)
    }

    private static func rest(of messages: [ChatMessage], after last: UUID?) -> [ChatMessage] {
        guard let last, let index = messages.lastIndex(where: { $0.id == last }) else { return messages }
        return Array(messages[(index + 1)...])
    }

    /// After a stop the app is silent and idle: nothing is spoken, sent or shown as running.
    func checkStopped() throws {
        try check(
            lens.stream.state.value.phase == .idle,
            "a stopped stream is idle",
            "\(lens.stream.state.value.phase)"
        )
        try check(
            speech.utterances.allSatisfy { $0.end != nil },
            "nothing is spoken after the stream was stopped",
            speech.utterances.last?.text ?? ""
        )
        try check(!lens.voice.isSpeaking.value, "a silent voice is shown as silent", "speaking")
        let open = model.openings.count { $0.opened != nil && $0.closed == nil }
        try check(open == 0, "no session outlives the stream", "\(open)")
        try check(
            lens.conversation.content.value.streamingResponse.isEmpty,
            "no answer is shown as growing when the stream has ended",
            lens.conversation.content.value.streamingResponse
        )
    }

    /// What is spoken was said by the model, one sentence at a time, and an old answer not into a new one.
    func checkSpeech() throws {
        try check(speech.overlaps == 0, "sentences do not overlap", "\(speech.overlaps) overlaps")
        let heard = model.heard
        let hasForgotten = model.hasForgotten
        for utterance in speech.utterances {
            // It may be of an answer that was forgotten, and was checked before that.
            let isOld = heard.first.map { utterance.start - $0.began <= ModelWatch.grace } ?? true
            if hasForgotten, isOld { continue }
            // What begins to be spoken after an answer began is of that answer or of a later one.
            let newest = heard.lastIndex { utterance.start - $0.began > ModelWatch.grace } ?? 0
            try check(
                heard.dropFirst(newest).contains { $0.text.contains(utterance.text) },
                "what is spoken is of the newest answer",
                utterance.text
            )
        }
    }
}
