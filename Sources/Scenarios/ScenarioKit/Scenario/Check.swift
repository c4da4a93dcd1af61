import Simulation

/// Ends the scenario unless the condition holds.
///
/// - Throws: `PropertyViolation`.
public func check(_ condition: Bool, _ property: String, _ seen: @autoclosure () -> String) throws {
    guard !condition else { return }
    throw PropertyViolation(
        kind: .always,
        property: property,
        seen: seen(),
        position: Simulation.current?.position
    )
}
