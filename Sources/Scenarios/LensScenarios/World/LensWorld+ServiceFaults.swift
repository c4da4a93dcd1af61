import FaultPlans
import GeminiServer
import PeerKit
import ScenarioKit
import Simulation
import SupabaseServer

extension LensWorld {
    /// The fault points of the services, each once.
    var servicePoints: [PeerPoint] {
        var known: Set<String> = []
        return (gemini.faults.points + supabase.faults.points).filter { known.insert($0.name).inserted }
            .map { point in
                PeerPoint(
                    point.name,
                    values: Dictionary(uniqueKeysWithValues: point.values.map { ($0.name, $0.range) })
                )
            }
    }

    /// Arms a fault point of the store: in the simulation, or at the store itself where that runs on real sockets.
    func armStore(
        _ point: String,
        probability: Double,
        values: [String: Double] = [:],
        atMost limit: Int = .max
    ) throws {
        guard Binding.current.isSimulated, let simulation = Simulation.current else {
            return try supabase.faults.arm(
                point,
                probability: probability,
                values: values,
                atMost: limit
            )
        }
        simulation.arm(faultPoint: point, probability: probability, values: values, atMost: limit)
    }
}
