// Stands in for the parts of swift-tools-support-core that two files import, for functions that no workload calls.

/// Not called.
public func tsc_await() {}

/// The variables of the environment.
public typealias ProcessEnvironmentBlock = [ProcessEnvironmentKey: String]

/// The name of a variable.
public struct ProcessEnvironmentKey: Hashable, Sendable {
    /// The name as it is written.
    public let value: String

    /// Makes a key.
    public init(_ value: String) { self.value = value }
}
