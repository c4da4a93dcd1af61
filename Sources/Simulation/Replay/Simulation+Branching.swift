import CSimulation

extension Simulation {
    /// Draws all chance anew from here on: the schedule, the faults, and what product code draws on each node.
    ///
    /// What has happened stays. The same branch of the same seed gives the same future.
    public func branch(to branch: Recipe.Branch) {
        note("branch", "\(branch.point) \(branch.future)")
        // FNV-1a keeps the futures of different points apart.
        var salt: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(branch.point)/\(branch.future)".utf8 {
            salt = (salt ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        entropySeed = entropySeed ^ salt
        unsafe csim_reseed(world, entropySeed)
        for source in faultSources.values { source.reseed() }
    }
}
