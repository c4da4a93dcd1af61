import CSimulation
import Simulation

/// A failure that needs what earlier seeds have left in their process, such as static variables.
public struct StaticsDependence: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The run that failed after others in its worker, and passes in a process of its own.
    public var run: SweepResult.FailedRun
    /// The static variables that earlier seeds had initialised, each with its place where that is known; the last one first.
    public var initialised: [String]

    /// What was seen, and what was done about it.
    public var description: String {
        let names =
            initialised.isEmpty
            ? "a static variable, or something else that belongs to the process"
            : "static variables that earlier seeds had initialised: \(initialised.prefix(5).joined(separator: ", "))"
        return
            "seed \(run.recipe.seed) failed after other seeds in one process, and passes in a process of its own: "
            + "it depends on \(names). Each seed had a process of its own from there on.\n  \(run.failure)"
    }
}

/// Names the static variables of the program that runs of other seeds have initialised in this process, the last one first.
func initialisedStatics(before seed: UInt64) -> [String] {
    let functions = unsafe (0..<csim_static_count()).reversed()
        .map { unsafe csim_static_at($0) }
        .filter { unsafe $0.seed != seed && csim_is_own_code($0.function) }
        .prefix(40)
        .map { unsafe UInt(bitPattern: $0.function) }
    // The function begins with instructions that no line has; what it evaluates has the line of the variable.
    func addresses(in function: UInt) -> [UInt] { (0..<12).map { function + 1 + 6 * $0 } }
    let known = symbols(of: functions.flatMap(addresses))
    return functions.compactMap { function in
        let name = known[function + 1]?.last?.frame.function
        return addresses(in: function).lazy.compactMap { known[$0]?.last }
            .first { $0.frame.function == name && $0.origin == .program }
            .map { "\($0.frame)".replacing("one-time initialization function for ", with: "") }
    }
}
