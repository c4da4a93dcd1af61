import GeminiServer
import Services

extension GeminiScript {
    /// What goes wrong at the service in one long stream, drawn for each run.
    static func randomTrouble() -> GeminiScript {
        var script = GeminiScript()
        for session in 0..<8 where Bool.random() {
            let moments: [GeminiFault.Moment] = [
                .setup, .frame(Int.random(in: 1...60)),
                .chunk(turn: Int.random(in: 0...3), chunk: Int.random(in: 0...12)),
                .elapsed(.milliseconds(Int.random(in: 0...20_000))),
            ]
            let troubles: [GeminiTrouble] = [
                .drop, .goAway(timeLeft: .milliseconds(Int.random(in: 500...12_000))),
                .close(code: 1008, reason: "Session not found."),
                .close(code: 1011, reason: "The service is currently unavailable."),
                .close(code: 1001, reason: "going away"),
                .close(code: 1007, reason: "Request contains an invalid argument."),
                .stall(.seconds(35)), .malformed("{\"serverContent\":"),
                .stall(.milliseconds(Int.random(in: 100...40_000))),
                .stopReading(.milliseconds(Int.random(in: 100...10_000))),
            ]
            for _ in 0..<Int.random(in: 1...2) {
                script.faults.append(
                    GeminiFault(
                        troubles[Int.random(in: troubles.indices)],
                        at: moments[Int.random(in: moments.indices)],
                        session: session
                    )
                )
            }
        }
        // A service that is down for a while refuses one handshake after the other.
        if Bool.random() {
            let first = Int.random(in: 1...3)
            for number in first..<(first + Int.random(in: 1...7)) { script.refusedHandshakes[number] = 503 }
        }
        return script
    }
}
