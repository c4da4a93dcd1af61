import GeminiServer
import PeerKit
import ScenarioKit
import SupabaseServer

extension LensServers {
    /// The names of the fault points of the services, which every simulated world has.
    public static var faultPointNames: [String] {
        var known: Set<String> = []
        return (GeminiServer.faultPoints + SupabaseServer.objectFaultPoints).map(\.name)
            .filter { known.insert($0).inserted }
    }
}

extension LensWorld {
    /// Arms what goes wrong at the model in one long stream, drawn for each run.
    func armModelTrouble() {
        let probabilities = [0.003, 0.01, 0.03]
        func arm(_ point: String, _ values: [String: Double] = [:]) {
            guard Bool.random() else { return }
            base.arm(
                point,
                probability: probabilities[Int.random(in: 0...2)],
                values: values,
                skipping: Int.random(in: 0...60),
                atMost: Int.random(in: 1...4)
            )
        }
        arm("gemini.live.drop")
        arm("gemini.live.goAway", ["timeLeft": Double.random(in: 0.5...12)])
        arm("gemini.live.close", ["code": [1001, 1007, 1008, 1011][Int.random(in: 0...3)]])
        // Longer than the app waits for an answer, or any time.
        arm("gemini.live.stall", ["seconds": Bool.random() ? 35 : Double.random(in: 0.1...40)])
        arm("gemini.live.malformed")
        arm("gemini.live.slowReader", ["seconds": Double.random(in: 0.1...10)])
        if Bool.random() { base.arm("gemini.live.mute", probability: 0.003, atMost: 1) }
        // What strikes at a time meets moments that no message marks.
        if Bool.random() {
            base.arm(
                "gemini.session.goAway",
                probability: 0.5,
                values: ["after": 0, "spread": 20, "timeLeft": Double.random(in: 0.5...12)]
            )
        }
        // A service that is down for a while refuses one handshake after the other.
        if Bool.random() {
            base.arm(
                "gemini.handshake.refused",
                skipping: Int.random(in: 1...3),
                atMost: Int.random(in: 1...7)
            )
        }
    }
}
