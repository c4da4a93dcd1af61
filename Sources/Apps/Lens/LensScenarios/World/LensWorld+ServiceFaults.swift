import FaultPlans
import GeminiServer
import PeerKit
import ScenarioKit
import Simulation
import SupabaseServer
import VeepaCameraSimulator

extension LensServers {
    /// The fault points of the services, each once.
    static let faultPoints: [PeerFaultPoint] = {
        var known: Set<String> = []
        return (GeminiServer.faultPoints + SupabaseServer.faultPoints).filter {
            known.insert($0.name).inserted
        }
    }()

    /// The names of the fault points of the services, which every simulated world has.
    public static var faultPointNames: [String] { faultPoints.map(\.name) }
}

extension LensWorld {
    /// The fault points of the services, as plans of faults know them.
    static let servicePoints = LensServers.faultPoints.map(plannable)

    /// Those that a plan may use in this world.
    var plannedPoints: [PeerPoint] {
        Self.servicePoints + (wifiCamera == nil ? [] : VeepaCameraSimulator.faultPoints.map(Self.plannable))
    }

    private static func plannable(_ point: PeerFaultPoint) -> PeerPoint {
        PeerPoint(
            point.name,
            values: Dictionary(uniqueKeysWithValues: point.values.map { ($0.name, $0.range) })
        )
    }

    /// Arms a fault point of the services, or of the Wi-Fi camera, in place of what a plan has armed there.
    ///
    /// - Precondition: The world is simulated, and a service has the point, with such numbers.
    public func arm(
        _ point: String,
        probability: Double = 1,
        values: [String: Double] = [:],
        skipping: Int = 0,
        atMost limit: Int = .max
    ) {
        let points = LensServers.faultPoints + (wifiCamera == nil ? [] : VeepaCameraSimulator.faultPoints)
        guard let known = points.first(where: { $0.name == point }) else {
            preconditionFailure("no service has a fault point “\(point)”")
        }
        for (name, value) in values {
            precondition(
                known.values.contains { $0.name == name && $0.range.contains(value) },
                "\(point) takes no \(name) of \(value)"
            )
        }
        guard Binding.current.isSimulated, let simulation = Simulation.current else {
            preconditionFailure("this world stands on real sockets")
        }
        simulation.arm(
            faultPoint: point,
            probability: probability,
            values: values,
            skipping: skipping,
            atMost: limit
        )
    }

    /// Ends the fault that was armed.
    public func disarm(_ point: String) { Simulation.current?.disarm(faultPoint: point) }

    /// Arms what goes wrong at the model in one long stream, drawn for each run.
    func armModelTrouble() {
        let probabilities = [0.003, 0.01, 0.03]
        func arm(_ point: String, _ values: [String: Double] = [:]) {
            guard Bool.random() else { return }
            self.arm(
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
        if Bool.random() { self.arm("gemini.live.mute", probability: 0.003, atMost: 1) }
        // What strikes at a time meets moments that no message marks.
        if Bool.random() {
            self.arm(
                "gemini.session.goAway",
                probability: 0.5,
                values: ["after": 0, "spread": 20, "timeLeft": Double.random(in: 0.5...12)]
            )
        }
        // A service that is down for a while refuses one handshake after the other.
        if Bool.random() {
            self.arm(
                "gemini.handshake.refused",
                skipping: Int.random(in: 1...3),
                atMost: Int.random(in: 1...7)
            )
        }
    }
}
