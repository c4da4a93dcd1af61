import Simulation

/// Ends the scenario unless the condition holds.
///
/// - Throws: `BrokenPromise`.
public func check(_ condition: Bool, _ promise: String, _ seen: @autoclosure () -> String) throws {
    guard !condition else { return }
    throw BrokenPromise(
        kind: .always,
        promise: promise,
        seen: seen(),
        position: Simulation.current?.position
    )
}
