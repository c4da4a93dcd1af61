import Concurrency
import Conformance
import Services
import SpeechSynthesizerConformance
import Synchronization

/// A voice that nobody hears, which violates one requirement, or none.
final class WrongVoice: SpeechSynthesizer {
    enum Flaw: String, CaseIterable {
        /// Returns before anything was heard.
        case returnsAtOnce
        /// Takes as long for any text.
        case hasOnePace
        /// Does not return.
        case neverReturns
        /// Waits for a word where there is none.
        case waitsForWords
        /// Ends at the first full stop.
        case saysOneSentence
        /// Does not say again what it has just said.
        case skipsRepetitions
        /// Says everything twice.
        case speaksTwice
        /// Takes what is between angle brackets for orders.
        case readsMarkup
        /// Goes on when it is stopped.
        case ignoresStops
        /// Returns when it is stopped, and is heard to the end.
        case stopsInSecret
        /// Says something more when it was stopped.
        case saysMore
        /// Waits for the end of the text when it is stopped.
        case stopWaits
        /// Keeps a stop for the next sentence.
        case keepsStops
        /// Says nothing any more once it was stopped.
        case staysSilent
        /// Hangs when it is stopped and says nothing.
        case hangsWhenIdle
        /// Hangs when it is stopped twice.
        case hangsAtSecondStop
        /// Goes on when its task is cancelled.
        case ignoresCancellation
        /// Does not look whether its task is cancelled already.
        case beginsCancelled
        /// Says nothing any more once a task was cancelled.
        case staysCancelled
    }

    private struct State {
        var utterances: [HeardUtterance] = []
        var speaking: Task<Bool, Never>?
        var stops = 0
        var isMute = false
        var isStopKept = false
    }

    private let flaw: Flaw?
    private let state = Mutex(State())

    init(_ flaw: Flaw?) { self.flaw = flaw }

    var heard: [HeardUtterance] { state.withLock { $0.utterances } }

    /// A day passes, whatever becomes of the task.
    private func hang() async { await Task { try? await Task.sleep(for: .seconds(86_400)) }.value }

    private func said(_ text: String) -> String {
        switch flaw {
        case .saysOneSentence: String(text.prefix { $0 != "." }) + (text.contains(".") ? "." : "")
        case .readsMarkup: text.replacing(#/<[^>]*>/#, with: "")
        default: text
        }
    }

    func speak(_ text: String) async {
        if flaw == .neverReturns || (flaw == .waitsForWords && text.allSatisfy(\.isWhitespace)) {
            await hang()
        }
        let isOver = state.withLock { state -> Bool in
            if flaw == .skipsRepetitions, state.utterances.last?.text == text { return true }
            guard state.isMute || state.isStopKept else { return false }
            state.isStopKept = false
            state.utterances.append(HeardUtterance(text, wasCutOff: true))
            return true
        }
        if isOver { return }
        let characters = flaw == .hasOnePace ? 15 : text.count
        let sleep = Task { [flaw] in
            if flaw == .returnsAtOnce { return true }
            return (try? await Task.sleep(for: .seconds(Double(characters) / 15))) != nil
        }
        state.withLock { $0.speaking = sleep }
        let isWhole: Bool
        if flaw == .ignoresCancellation {
            isWhole = await sleep.value
        } else if flaw == .beginsCancelled, Task.isCancelled {
            isWhole = await Task { await sleep.value }.value
        } else {
            isWhole = await withTaskCancellationHandler {
                await sleep.value
            } onCancel: {
                sleep.cancel()
            }
        }
        state.withLock { state in
            state.speaking = nil
            let wasCutOff = !isWhole && flaw != .stopsInSecret
            for _ in 0..<(flaw == .speaksTwice ? 2 : 1) {
                state.utterances.append(HeardUtterance(said(text), wasCutOff: wasCutOff))
            }
            if flaw == .staysCancelled, Task.isCancelled { state.isMute = true }
        }
    }

    func stop() async {
        let (speaking, count) = state.withLock { state in
            state.stops += 1
            return (state.speaking, state.stops)
        }
        switch flaw {
        case .ignoresStops: return
        case .hangsWhenIdle where speaking == nil: await hang()
        case .hangsAtSecondStop where count > 1: await hang()
        case .stopWaits: _ = await speaking?.value
        case .keepsStops where speaking == nil: state.withLock { $0.isStopKept = true }
        case .staysSilent: state.withLock { $0.isMute = true }
        default: break
        }
        speaking?.cancel()
        if flaw == .saysMore, speaking != nil {
            Task {
                try? await Task.sleep(for: .seconds(2))
                state.withLock { $0.utterances.append(HeardUtterance("and so on")) }
            }
        }
    }
}

struct WrongVoiceHarness: SpeechSynthesizerHarness {
    let flaw: WrongVoice.Flaw?
    let capabilities = Set(SpeechSynthesizerCapability.allCases)

    func makeVoice() async throws -> WrongVoice { WrongVoice(flaw) }
    func heard(from voice: WrongVoice) async throws -> [HeardUtterance] { voice.heard }
}
