extension Simulation {
    /// The items of a workload that this run does: all of them, but for those that were left out while shrinking.
    ///
    /// Write a workload as a loop over it, so that a failure can be shrunk to the items that matter:
    ///
    ///     for transfer in Simulation.work("transfers", count: 20) { … }
    ///
    /// - Parameters:
    ///   - label: Names the workload; unique within the simulation.
    ///   - count: How many items there are.
    /// - Returns: Numbers from 0 to `count` − 1, ascending; all of them outside a simulation.
    public static func work(_ label: String, count: Int) -> [Int] {
        guard let simulation = current else { return Array(0..<count) }
        simulation.workloads[label] = count
        guard let omitted = simulation.configuration.omittedWork[label] else { return Array(0..<count) }
        return (0..<count).filter { !omitted.contains($0) }
    }
}
