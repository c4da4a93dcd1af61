import Simulation

/// Whether a network is still there and its simulation is current, for what may be released after the end of both.
///
/// A weak reference would tell the same, and make every other use of the network slower.
final class NetworkLife: @unchecked Sendable {
    // Invariant that makes this Sendable: `isOver` is read only on the thread on which the simulation is current, and
    // the network ends there too, or when the simulation is not current any more.

    private let simulation: ObjectIdentifier
    private var isOver = false

    init(_ simulation: Simulation) { self.simulation = ObjectIdentifier(simulation) }

    /// Whether the calling code runs in the network's simulation, and may use the network.
    var isRunning: Bool { Simulation.current.map { ObjectIdentifier($0) } == simulation && !isOver }

    /// The network is freed.
    func end() { isOver = true }
}
