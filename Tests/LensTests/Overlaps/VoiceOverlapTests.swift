import AppKernel
import Concurrency
import Lens
import Services
import SimulatedDevice
import SimulationTesting
import Synchronization
import Testing

@Suite("A user who is listened to again and again", .simulated(seeds: 1...25, configuration: .shortWaits))
struct VoiceOverlapTests {
    /// A voice that notes what it says into an open microphone.
    private final class OverheardVoice: SpeechSynthesizer {
        private let base = SimulatedSpeechSynthesizer()
        private let recognizer: SimulatedSpeechRecognizer
        let overheard = Mutex<[String]>([])
        let spoken = Mutex<Set<String>>([])

        init(_ recognizer: SimulatedSpeechRecognizer) { self.recognizer = recognizer }

        var isOpen: Bool {
            let calls = recognizer.calls
            guard let opened = calls.lastIndex(of: .record) else { return false }
            return calls.lastIndex(of: .stop).map { $0 < opened } ?? true
        }

        func speak(_ text: String) async {
            if isOpen { overheard.withLock { $0.append(text) } }
            spoken.withLock { _ = $0.insert(text) }
            await base.speak(text)
        }

        func stop() async { await base.stop() }
    }

    @Test func `nothing is spoken into the open microphone, and what is shown as listening is what listens`()
        async throws
    {
        let script = (0..<200).map { number in
            [SimulatedSpeechRecognizer.Step(after: .milliseconds(20), .partial("word \(number)"))]
        }
        let recognizer = SimulatedSpeechRecognizer(script)
        let synthesizer = OverheardVoice(recognizer)
        let voice = VoiceEngine(synthesizer)
        let input = VoiceInput(
            recognizer: recognizer,
            microphone: recognizer.microphone,
            permissions: Permissions(UnrestrictedPermissions()),
            voice: voice
        )
        let number = Mutex(0)
        let hidden = Mutex(0)
        /// Listens as soon as nobody else is listened to.
        @Sendable func listenNext() async {
            for _ in 0..<200 {
                do {
                    _ = try await input.listen()
                    return
                } catch  where error.code == .busy { await Task.yield() } catch { return }
            }
        }
        @Sendable func look() {
            if synthesizer.isOpen, !input.state.value.isListening { hidden.withLock { $0 += 1 } }
        }
        let overlap = Overlap(
            gates: Gates(),
            actions: [
                listenNext,
                {
                    // A tap that ends it, and another one.
                    await input.finish()
                    await listenNext()
                },
                { await voice.speak(["Sentence \(number.withLock { $0 += 1; return $0 })."]) },
                { await voice.speak(["Sentence \(number.withLock { $0 += 1; return $0 })."]) },
                { await input.stop() }, { look() },
            ]
        )
        for round in 0..<3 {
            await overlap.round(40)
            #expect(input.state.value == VoiceInput.State())
            #expect(!synthesizer.isOpen)
            #expect(synthesizer.overheard.withLock(\.self) == [])
            #expect(hidden.withLock(\.self) == 0)
            // The voice is free again.
            await voice.speak(["Round \(round)."])
            await voice.isSpeaking.reaches { !$0 }
            #expect(synthesizer.spoken.withLock { $0.contains("Round \(round).") })
        }
    }
}
