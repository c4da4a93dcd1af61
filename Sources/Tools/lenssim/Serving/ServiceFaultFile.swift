import ArgumentParser
import CommandKit
import FaultPlans
import PeerKit

/// The part of a plan of faults that a service by itself can have.
struct ServiceFaultFile {
    private let path: String
    private let faults: [FaultPlan.Peer]

    /// Reads a plan.
    ///
    /// - Throws: ``PlanFileError``; ``RefusedFaults`` for a plan that speaks of more than services.
    init(path: String, text: String) throws {
        self.path = path
        var plan = try FaultPlan(text: text)
        faults = plan.peers
        plan.peers = []
        guard plan == FaultPlan() else {
            throw RefusedFaults(
                description: "\(path): only “peers” of a plan can come true outside a simulation"
            )
        }
    }

    /// Arms the points of a service.
    ///
    /// - Parameter seed: What their chances follow.
    /// - Throws: ``RefusedFaults`` for a point that the service does not have.
    func arm(_ service: PeerFaults, seed: UInt64) throws {
        for fault in faults {
            do throws(FaultNotArmed) {
                try service.arm(
                    fault.point,
                    probability: fault.probability ?? 1,
                    values: fault.values ?? [:],
                    skipping: fault.skip ?? 0,
                    atMost: fault.atMost ?? .max,
                    seed: seed
                )
            } catch {
                throw RefusedFaults(description: "\(path): \(error)")
            }
        }
    }
}

/// A plan of faults does not fit the service.
struct RefusedFaults: ExitCoded, CustomStringConvertible {
    let description: String
    var exitCode: ExitCode { Exit.dataUnusable }
}
