import CSimulation

extension Simulation {
    /// The name of the fault source that interrupts steps at locks.
    static let interruptionSource = "interruption"

    /// Whether threads run in this simulation: see ``Configuration/threads``.
    public var simulatesThreads: Bool { unsafe csim_simulates_threads(world) }

    /// Lets steps be interrupted in about three quarters of the seeds: in some at every other lock, in some at few.
    func prepareInterruptions() {
        guard simulatesThreads, configuration.pace == .virtual else { return }
        var entropy = EntropyStream(seed: seed, label: "interruptions")
        let happens = Int.random(in: 0..<4, using: &entropy) > 0
        let rate = UInt32(1) << UInt32.random(in: 1...6, using: &entropy)
        switch configuration.faults {
        case .drawn:
            if happens { unsafe csim_draw_interruptions(world, seed, rate) }
        case .only(let firings):
            let decisions = firings.filter { $0.source == Self.interruptionSource }
                .map { UInt64($0.decision) }.sorted()
            unsafe csim_list_interruptions(world, decisions, decisions.count)
        }
    }
}

/// Notes that a step is interrupted.
func noteInterruption(_ world: OpaquePointer, _ decision: UInt64) {
    guard let owner = unsafe csim_owner(world) else { return }
    let simulation = unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue()
    simulation.noteFiring(Firing(source: Simulation.interruptionSource, decision: Int(decision)))
    simulation.note("fault", "interruption")
}
