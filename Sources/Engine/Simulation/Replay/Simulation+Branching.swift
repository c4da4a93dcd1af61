import CSimulation

extension Simulation {
    /// Reseeds all random numbers from here on: the schedule, with its priorities, the faults, every stream of the simulated world,
    /// what product code draws on each node, and a cancellation that is still to come.
    ///
    /// What has happened stays. The same branch of the same seed gives the same future.
    public func branch(to branch: Recipe.Branch) {
        note("branch", "\(branch.point) \(branch.future)")
        // FNV-1a keeps the futures of different points apart.
        var salt: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(branch.point)/\(branch.future)".utf8 {
            salt = (salt ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        chance.branch(to: chance.seed ^ salt)
        unsafe csim_reseed(world, chance.seed)
        if configuration.cancellation == .drawn, unsafe csim_cancellations(world) == 0 {
            prepareCancellation()
        }
    }
}

extension Simulation {
    /// Begins the future of the configuration.
    fileprivate func beginFuture() {
        guard let future = configuration.future else { return }
        isInFuture = true
        branch(to: Recipe.Branch(point: "future", future: future))
    }
}

/// Called at the end of replayed decisions.
func beginFuture(_ world: OpaquePointer) { Simulation.current?.beginFuture() }
