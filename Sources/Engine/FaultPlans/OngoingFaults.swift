import Simulation

/// Counts faults that overlap, so that what two of them do to one link or node ends with the last.
final class OngoingFaults: @unchecked Sendable {
    // Invariant that makes this Sendable: used only on the thread of its simulation.
    private unowned let simulation: Simulation
    private var counts: [String: Int] = [:]

    init(simulation: Simulation) { self.simulation = simulation }

    /// Counts a fault of each name from now on, and undoes it when its time is over and it was the last of its name.
    ///
    /// - Parameters:
    ///   - names: What the fault does, and to whom.
    ///   - duration: How long, in seconds; `nil` forever, or until everything is healed.
    ///   - undo: Given the position of a name.
    func begin(_ names: [String], for duration: Double?, undo: @escaping @Sendable (Int) -> Void) {
        for name in names { counts[name, default: 0] += 1 }
        guard let duration else { return }
        simulation.schedule(after: .seconds(duration)) { [self] in
            for (position, name) in names.enumerated() {
                counts[name, default: 0] -= 1
                if counts[name] == 0 { undo(position) }
            }
        }
    }
}
