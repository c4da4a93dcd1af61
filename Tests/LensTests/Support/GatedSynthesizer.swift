import Concurrency
import Services

/// Speaks until the test opens the gate; deaf to being stopped, as a slow device is for a while.
final class GatedSynthesizer: SpeechSynthesizer {
    let gate = CurrentValue(false)
    let log = CurrentValue<[String]>([])

    func speak(_ text: String) async {
        log.update { $0.append("+\(text)") }
        await Task { await gate.reaches { $0 } }.value
        log.update { $0.append("-\(text)") }
    }

    func stop() async { log.update { $0.append("stop") } }
}
