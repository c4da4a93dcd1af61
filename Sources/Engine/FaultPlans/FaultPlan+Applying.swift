public import SimulatedDisk
public import SimulatedTransport
import Simulation

extension FaultPlan {
    static let diskFaults = DiskFault.allCases.map(\.rawValue)

    /// Makes the plan come true in the current simulation, from now on.
    ///
    /// A fault point that the plan arms, and that no code passes, is listed by sweeps among what was never reached.
    ///
    /// - Parameters:
    ///   - network: The network whose hosts the plan names.
    ///   - disks: The disks of the nodes that the plan names.
    ///   - known: The fault points of the services in the world.
    /// - Throws: ``FaultPlanError`` for values that mean nothing, for names that the world does not have, and for what could
    ///   do nothing in it; then nothing has been changed.
    /// - Precondition: A simulation is current, and no other plan with events has come true in it.
    public func apply(
        network: SimulatedNetwork? = nil,
        disks: [SimulatedDisk] = [],
        peers known: [PeerPoint] = []
    ) throws(FaultPlanError) {
        guard let simulation = Simulation.current else {
            preconditionFailure("a plan of faults comes true in a simulation")
        }
        let world = PlannedWorld(simulation: simulation, network: network, disks: disks)
        try world.check(self)
        for peer in peers { try peer.check(known) }
        for link in links { world.set(link) }
        for disk in self.disks { world.set(disk) }
        for (number, point) in points.enumerated() {
            simulation.arm(faultPoint: point.name, probability: point.probability)
            simulation.expect(faultPoint: point.name, file: "the plan's points", line: number + 1)
        }
        for peer in peers {
            simulation.arm(
                faultPoint: peer.point,
                probability: peer.probability ?? 1,
                values: peer.values ?? [:],
                skipping: peer.skip ?? 0,
                atMost: peer.atMost ?? .max
            )
        }
        if nameFailure > 0 { network?.names.failure = nameFailure }
        for (number, event) in events.enumerated() {
            // Every event is one decision of a source of its own, so that it can be left out.
            let source = simulation.claimFaultSource("plan \(number + 1) \(event.action.rawValue)")
            simulation.schedule(after: .seconds(event.at)) {
                guard let chance = source.fires(probability: event.probability ?? 1) else { return }
                world.begin(event, chance)
            }
        }
    }
}
