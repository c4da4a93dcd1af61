/// How the next step is chosen among those that are ready.
public enum Schedule: Sendable, Hashable {
    /// The oldest first: one plausible order, with the fewest surprises.
    case firstInFirstOut
    /// Any, from the seed.
    case random
    /// As recorded by ``SimulationReport/choices``; the oldest where the record does not fit.
    case replaying([UInt32])
}
