public import Simulation

/// Something that a scenario promises and that did not hold.
public struct CheckFailed: Error, Sendable, Hashable, CustomStringConvertible {
    /// The promise, as a sentence.
    public var promise: String
    /// What was seen instead.
    public var seen: String
    /// Where the simulation stood.
    public var position: Position?

    /// All of it on one line.
    public var description: String {
        let place = position.map { " (\($0))" } ?? ""
        return "“\(promise)” does not hold: \(seen)\(place)"
    }
}

/// Ends the scenario unless the condition holds.
///
/// - Throws: ``CheckFailed``.
public func check(_ condition: Bool, _ promise: String, _ seen: @autoclosure () -> String) throws {
    guard !condition else { return }
    throw CheckFailed(promise: promise, seen: seen(), position: Simulation.current?.position)
}
