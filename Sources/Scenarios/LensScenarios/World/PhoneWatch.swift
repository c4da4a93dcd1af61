import AppKernel
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
    func checkConversation(waits: Bool = true) throws {
        try model.verify(waits: waits)
        let messages = try wholeConversation()
        let kept = messages.filter { $0.role == .assistant }.map { message -> String in
            guard case .text(let text) = message.content else { return "no text" }
            return (message.isPartial ? "cut off: " : "whole: ") + text
        }
        let heard = model.heard.filter { !$0.text.allSatisfy(\.isWhitespace) }
            .map { ($0.isComplete ? "whole: " : "cut off: ") + $0.text }
        let differing = zip(kept, heard).first { $0 != $1 }
        try check(
            kept == heard,
            "answers that arrive are kept, once, in order and as they are",
            differing.map { "kept “\($0)” of “\($1)”" } ?? "kept \(kept.count) of \(heard.count)"
        )
        let ids = messages.map(\.id)
        try check(Set(ids).count == ids.count, "no message is there twice", "\(ids.count)")
    }

    /// What is in memory, after what is in the database alone.
    func wholeConversation() throws -> [ChatMessage] {
        var (messages, hasEarlier) = (
            lens.conversation.content.value.messages, lens.conversation.content.value.hasEarlier
        )
        while hasEarlier, let first = messages.first {
            let page = try lens.conversation.page(before: first.id)
            messages = page.messages + messages
            hasEarlier = page.hasEarlier
        }
        return messages
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
        for utterance in speech.utterances {
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
