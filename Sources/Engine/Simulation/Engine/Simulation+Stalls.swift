import CSimulation

extension Simulation {
    /// The name of the fault source that lets the thread pool be late.
    static let stallSource = "stall"

    /// Lets the thread pool be late in about half of the seeds.
    ///
    /// Where it often is, it is so by little: a pool that is late by milliseconds at each step is none that exists.
    func prepareStalls() {
        guard configuration.pace == .virtual else { return }
        var entropy = EntropyStream(seed: seed, label: "stalls")
        let happens = Bool.random(using: &entropy)
        let rate = UInt32(1) << UInt32.random(in: 2...8, using: &entropy)
        let longest = min(Int64(rate), 100)  // milliseconds
        // Of any magnitude from a microsecond.
        let magnitude = Int64(1000) << Int64.random(in: 0...16, using: &entropy)
        let most = min(magnitude, longest * 1_000_000)
        switch configuration.faults {
        case .drawn:
            guard configuration.stalls == .drawn, happens else { return }
            unsafe csim_draw_stalls(world, seed, rate, most)
        case .only(let firings):
            let decisions = firings.filter { $0.source == Self.stallSource }.map { UInt64($0.decision) }
                .sorted()
            unsafe csim_list_stalls(world, seed, decisions, decisions.count, most)
        }
    }
}

/// Notes that the thread pool is late.
func noteStall(_ world: OpaquePointer, _ decision: UInt64, _ late: Int64) {
    guard let owner = unsafe csim_owner(world) else { return }
    let simulation = unsafe Unmanaged<Simulation>.fromOpaque(owner).takeUnretainedValue()
    simulation.noteFiring(Firing(source: Simulation.stallSource, decision: Int(decision)))
    simulation.note("fault", "stall \(late) ns")
}
