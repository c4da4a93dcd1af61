import CSimulation
public import Simulation

/// A run that depends on what earlier runs have left in their process, such as static variables.
public struct StaticsDependence: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What decided it.
    public var recipe: Recipe
    /// How it failed after others, as it does not in a process of its own; `nil` where it only took another course.
    public var failure: Failure?
    /// The static variables that earlier runs had initialised, each with its place where that is known; the last one first.
    public var initialised: [String]

    /// What was seen, and what was done about it.
    public var description: String {
        let names =
            initialised.isEmpty
            ? "a static variable, or something else that belongs to the process or differs from run to run, which "
                + "LENSSIM_CHECK_DETERMINISM=1 looks for"
            : "static variables that earlier runs had initialised: \(initialised.prefix(5).joined(separator: ", "))"
        let what =
            failure == nil
            ? "took another course when it was run again after others in one process"
            : "failed after other seeds in one process, and passes in a process of its own"
        return
            "seed \(recipe.seed) \(what): it depends on \(names). Each seed had a process of its own from there on."
            + (failure.map { "\n  \($0)" } ?? "")
    }
}

/// Names the static variables of the program that runs of this process have initialised, the last one first.
///
/// - Parameter seed: Whose own are left out; `nil` for none.
func initialisedStatics(exceptBy seed: UInt64?) -> [String] {
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
