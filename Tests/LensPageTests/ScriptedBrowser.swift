import Services
import SpeechRecognizerConformance
import SpeechSynthesizerConformance
import Synchronization
import TestSupport
import Transport

/// A browser with a voice and a recognizer, which speaks at the pace of people and hears what a scene has.
final class ScriptedBrowser: Sendable {
    private struct State {
        var utterances: [HeardUtterance] = []
        var speaking: (number: Int, text: String, task: Task<Void, Never>)?
        var hearing: Task<Void, Never>?
        var visit: Task<Void, any Error>?
    }

    static let sentence = "what is this"

    let world: PageWorld
    private let state = Mutex(State())

    /// Opens a page; `nil` for a browser that understands no speech.
    init(_ world: PageWorld, hearing scene: SpeechScene?) async throws {
        self.world = world
        let hears = scene.map { $0 != .noRecognizer } ?? false
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let visit = Task { [weak self] in
            let page = try await world.open(#"{"presence":{"speaks":true,"visible":true,"hears":\#(hears)}}"#)
            // Its answer comes after the presence was read.
            try await page.act("navigation", #"{"selectTab":{"_0":2}}"#)
            let socket = page.socket
            isReady.finish()
            while true {
                self?.take(try await page.frame { _ in true }, { try await socket.send(text: $0) }, scene)
            }
        }
        state.withLock { $0.visit = visit }
        for await _ in ready {}
    }

    /// What was said and is over, once what was sent has arrived.
    func utterances() async throws -> [HeardUtterance] {
        try await Task.sleep(for: .seconds(1))
        return state.withLock { $0.utterances }
    }

    /// Closes it.
    func close() {
        state.withLock { state in
            state.visit?.cancel()
            state.speaking?.task.cancel()
            state.hearing?.cancel()
        }
    }

    private typealias Send = @Sendable (String) async throws -> Void

    private func take(
        _ frame: ScriptedPage.Frame,
        _ send: @escaping Send,
        _ scene: SpeechScene?
    ) {
        if let number = frame.speak?["number"] as? Int, let text = frame.speak?["text"] as? String {
            speak(text, number, send)
        }
        if let number = frame.hush { hush(number) }
        if let number = frame.listen, let scene { listen(number, scene, send) }
        if let number = frame.finishListening {
            hear { try await send(Self.heard(number, Self.sentence, isFinal: true)) }
        }
        if frame.stopListening != nil { hear {} }
    }

    private func speak(_ text: String, _ number: Int, _ send: @escaping Send) {
        let task = Task {
            do { try await Task.sleep(for: .seconds(Double(text.count) / 15)) } catch { return }
            state.withLock { state in
                state.utterances.append(HeardUtterance(text))
                state.speaking = nil
            }
            try? await send(#"{"spoken":\#(number)}"#)
        }
        state.withLock { $0.speaking = (number, text, task) }
    }

    private func hush(_ number: Int) {
        state.withLock { state in
            guard let speaking = state.speaking, speaking.number == number else { return }
            speaking.task.cancel()
            state.utterances.append(HeardUtterance(speaking.text, wasCutOff: true))
            state.speaking = nil
        }
    }

    private func listen(_ number: Int, _ scene: SpeechScene, _ send: @escaping Send) {
        hear {
            try await send(#"{"heard":{"number":\#(number)}}"#)
            for text in ["what", "what is"] {
                try await Task.sleep(for: .milliseconds(300))
                try await send(Self.heard(number, text))
            }
            try await Task.sleep(for: .milliseconds(300))
            switch scene {
            case .sentence: try await send(Self.heard(number, Self.sentence, isFinal: true))
            case .brokenMicrophone:
                try await send(#"{"heard":{"number":\#(number),"trouble":"microphoneFailed"}}"#)
            case .brokenRecognizer:
                try await send(#"{"heard":{"number":\#(number),"trouble":"recognitionFailed"}}"#)
            case .open, .noRecognizer: break
            }
        }
    }

    /// What the browser hears from now on.
    private func hear(_ work: @escaping @Sendable () async throws -> Void) {
        state.withLock { state in
            state.hearing?.cancel()
            state.hearing = Task { try? await work() }
        }
    }

    private static func heard(_ number: Int, _ text: String, isFinal: Bool = false) -> String {
        #"{"heard":{"number":\#(number),"text":"\#(text)","isFinal":\#(isFinal)}}"#
    }
}
